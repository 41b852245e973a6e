package wire

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// senders makes one of each kind, with its meter.
func senders(t *testing.T) map[string]func() (Sender, *Meter) {
	t.Helper()
	return map[string]func() (Sender, *Meter){
		"h2": func() (Sender, *Meter) {
			m := &Meter{}
			s := NewH2(m)
			t.Cleanup(s.Close)
			return s, m
		},
		"h1": func() (Sender, *Meter) {
			m := &Meter{}
			s := NewH1(m)
			t.Cleanup(s.Close)
			return s, m
		},
	}
}

func serve(t *testing.T, h http.HandlerFunc) *Server {
	t.Helper()
	s, err := Serve(h)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func minute(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// failure is the *Failure that an error has to be.
func failure(t *testing.T, err error) *Failure {
	t.Helper()
	f, ok := errors.AsType[*Failure](err)
	if !ok {
		t.Fatalf("got %v, want a *Failure", err)
	}
	return f
}

func TestSendDeliversAndCountsTheBytes(t *testing.T) {
	t.Parallel()
	for kind, make := range senders(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				io.WriteString(w, strings.Join([]string{r.Method, r.URL.Path, r.Header.Get(RoleHeader), string(body), r.Proto}, " "))
			})
			s, m := make()
			r := Request{Addr: srv.Addr(), Path: "/update", From: "leader", Body: []byte("four")}
			want := "POST /update leader four " + map[string]string{"h2": "HTTP/2.0", "h1": "HTTP/1.1"}[kind]
			for range 3 {
				a, err := s.Send(minute(t), r)
				if err != nil {
					t.Fatal(err)
				}
				if got := string(a.Body); got != want || a.Status != 200 {
					t.Errorf("got %d %q, want 200 %q", a.Status, got, want)
				}
				if a.Accepted <= int64(len(r.Body)) || !a.Headers {
					t.Errorf("accepted %d bytes, headers written: %t", a.Accepted, a.Headers)
				}
			}
			if got := m.Reading(srv.Addr()); got.Accepted == 0 || got.Wrote.IsZero() || !got.Noticed.IsZero() {
				t.Errorf("the meter says %+v", got)
			}
		})
	}
}

func TestSendKeepsItsConnection(t *testing.T) {
	t.Parallel()
	for kind, make := range senders(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			var seen []string
			srv := serve(t, func(_ http.ResponseWriter, r *http.Request) { seen = append(seen, r.RemoteAddr) })
			s, _ := make()
			for range 3 {
				if _, err := s.Send(minute(t), Request{Addr: srv.Addr(), Path: "/"}); err != nil {
					t.Fatal(err)
				}
			}
			if len(seen) != 3 || seen[0] != seen[1] || seen[1] != seen[2] {
				t.Errorf("requests came from %v, want one connection", seen)
			}
		})
	}
}

func TestAnErrorStatusIsAFailureThatWasAnswered(t *testing.T) {
	t.Parallel()
	for kind, make := range senders(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "not now", http.StatusServiceUnavailable) })
			s, _ := make()
			_, err := s.Send(minute(t), Request{Addr: srv.Addr(), Path: "/"})
			f := failure(t, err)
			if f.Fault != Status || f.Code != 503 || !f.Committed() || !strings.Contains(f.Error(), "503") {
				t.Errorf("got %+v: %v", f, f)
			}
		})
	}
}

func TestARefusedConnectionSendsNothing(t *testing.T) {
	t.Parallel()
	for kind, make := range senders(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s, _ := make()
			_, err := s.Send(minute(t), Request{Addr: "127.0.0.1:1", Path: "/"}) // a port that nobody listens on
			f := failure(t, err)
			if f.Fault != Refused || f.Committed() || f.Headers {
				t.Errorf("got %+v", f)
			}
		})
	}
}

func TestAServerThatHangsUpAfterReadingIsCommitted(t *testing.T) {
	t.Parallel()
	for kind, make := range senders(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, func(_ http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				panic(http.ErrAbortHandler) // ends the stream, or the connection, without an answer
			})
			s, _ := make()
			_, err := s.Send(minute(t), Request{Addr: srv.Addr(), Path: "/", Body: []byte("read")})
			f := failure(t, err)
			want := map[string]Fault{"h2": Closed, "h1": Silent}[kind]
			if f.Fault != want || !f.Committed() || !f.Headers {
				t.Errorf("got %+v, want fault %v", f, want)
			}
		})
	}
}

func TestASendThatIsCancelledAfterItWasSentIsCommitted(t *testing.T) {
	t.Parallel()
	for kind, make := range senders(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			hold := newHold(t)
			s, m := make()
			ctx, cancel := context.WithCancel(minute(t))
			defer cancel()
			go func() {
				m.Await(ctx, hold, 1)
				cancel()
			}()
			_, err := s.Send(ctx, Request{Addr: hold, Path: "/", Body: []byte("x")})
			if f := failure(t, err); !f.Committed() {
				t.Errorf("got %+v, want a failure after the send", f)
			}
		})
	}
}

// newHold is a server that accepts connections and answers nothing.
func newHold(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() }) // the kernel accepts for it
	return l.Addr().String()
}

func TestFaultNamesAndSets(t *testing.T) {
	t.Parallel()
	names := map[Fault]string{Refused: "refused", Unsent: "unsent", Closed: "closed", Silent: "silent", Socket: "socket", TimedOut: "timed-out", Status: "status"}
	var all Fault
	for f, want := range names {
		if got := f.String(); got != want {
			t.Errorf("%#x is %q, want %q", uint8(f), got, want)
		}
		all |= f
	}
	if Anything != all&^Status {
		t.Errorf("Anything is %v, want all but status", Anything)
	}
	if got := (Refused | Unsent).String(); got != "faults(0x3)" {
		t.Errorf("a set is %q", got)
	}
}
