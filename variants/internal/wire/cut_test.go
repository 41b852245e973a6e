package wire_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/failrate/failrate/variants/internal/socketproxy"
	"github.com/failrate/failrate/variants/internal/wire"
)

// cutOff sends once through a proxy, cuts it, and sends again.
func cutOff(t *testing.T, make func(*wire.Meter) wire.Sender, how socketproxy.How) *wire.Failure {
	t.Helper()
	srv, err := wire.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) }))
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	p, err := socketproxy.Open(srv.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	m := &wire.Meter{}
	s := make(m)
	defer s.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r := wire.Request{Addr: p.Addr(), Path: "/", Body: []byte("body")}
	if _, err := s.Send(ctx, r); err != nil {
		t.Fatal(err)
	}
	for p.Received() < m.Reading(p.Addr()).Accepted {
		if ctx.Err() != nil {
			t.Fatal("the proxy did not read everything")
		}
	}
	if n, err := p.Cut(how); n != 1 || err != nil {
		t.Fatalf("cut %d connections, %v", n, err)
	}
	_, err = s.Send(ctx, r)
	f, ok := errors.AsType[*wire.Failure](err)
	if !ok {
		t.Fatalf("a send to a cut proxy: %v, want a *Failure", err)
	}
	return f
}

func h1(m *wire.Meter) wire.Sender { return wire.NewH1(m) }
func h2(m *wire.Meter) wire.Sender { return wire.NewH2(m) }

func TestH1NeverNoticesAFIN(t *testing.T) {
	t.Parallel()
	for range 10 {
		if f := cutOff(t, h1, socketproxy.FIN); !f.Committed() || f.Fault != wire.Silent && f.Fault != wire.Socket {
			t.Errorf("got %+v, want a committed failure", f)
		}
	}
}

func TestNothingIsAcceptedAfterAReset(t *testing.T) {
	t.Parallel()
	for range 10 {
		if f := cutOff(t, h1, socketproxy.Reset); f.Committed() || f.Fault != wire.Unsent {
			t.Errorf("h1: got %+v, want unsent", f)
		}
		if f := cutOff(t, h2, socketproxy.Reset); f.Committed() || f.Fault != wire.Unsent && f.Fault != wire.Refused {
			t.Errorf("h2: got %+v, want unsent or refused", f)
		}
	}
}

func TestH2FailsEitherWayAfterAFIN(t *testing.T) {
	t.Parallel()
	for range 10 {
		f := cutOff(t, h2, socketproxy.FIN)
		switch f.Fault {
		case wire.Closed:
			if !f.Committed() {
				t.Errorf("closed without an accepted byte: %+v", f)
			}
		case wire.Unsent, wire.Refused:
			if f.Committed() {
				t.Errorf("%v with accepted bytes: %+v", f.Fault, f)
			}
		case wire.Silent, wire.Socket, wire.TimedOut, wire.Status:
			t.Errorf("a fault that a cut of h2 cannot have: %+v", f)
		}
	}
}
