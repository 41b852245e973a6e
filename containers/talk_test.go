package containers

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/failrate/failrate/containers/agent"
	"github.com/failrate/failrate/harness/trial"
)

// piece wraps bytes as the engine does.
func piece(stream byte, b []byte) []byte {
	head := []byte{stream, 0, 0, 0, 0, 0, 0, 0}
	binary.BigEndian.PutUint32(head[4:], uint32(len(b)))
	return append(head, b...)
}

func frame(t testing.TB, kind byte, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	w := agent.Writer{To: &b}
	err := w.Frame(kind, nil)
	switch v := v.(type) {
	case nil:
	case string:
		b.Reset()
		err = w.Frame(kind, []byte(v))
	default:
		b.Reset()
		err = w.Value(kind, v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// fakeAgent gives a link whose other end the function plays. The test waits for its end.
func fakeAgent(t testing.TB, play func(conn net.Conn, orders *json.Decoder)) *link {
	t.Helper()
	ours, theirs := net.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer theirs.Close()
		play(theirs, json.NewDecoder(theirs))
	}()
	t.Cleanup(func() { ours.Close(); <-done })
	return &link{engine: &Engine{deadline: time.Minute}, conn: ours, frames: &demux{from: bufio.NewReader(ours)}}
}

func TestTalk(t *testing.T) {
	t.Parallel()
	result := frame(t, agent.KindResult, agent.Result{Seq: 1, Exit: 3})
	output := frame(t, agent.KindOutput, strings.Repeat("ä€𝄞", 4000)) // 36 kB, which no piece's end may damage
	for _, c := range []struct {
		name   string
		stream []byte // in pieces of stdout
		size   int    // of a piece
		noise  bool   // stderr between the pieces
		heard  string
		wrong  string
	}{
		{name: "whole", stream: join(output, result), size: 1 << 20, heard: "ä€𝄞"},
		{name: "byte-by-byte", stream: join(output[:4096+5], result), size: 1, heard: "\x00"},
		{name: "16-KiB", stream: join(output, result), size: 16 << 10, noise: true, heard: "ä€𝄞"},
		{name: "no-result", stream: output, size: 1000, wrong: "connection to the container ended"},
		{name: "half-a-result", stream: result[:len(result)-1], size: 1000, wrong: "connection to the container ended"},
		{name: "another's-result", stream: frame(t, agent.KindResult, agent.Result{Seq: 2}), size: 1000, wrong: "another protocol"},
		{name: "not-a-frame", stream: []byte("standard_init_linux.go: exec format error"), size: 1000, wrong: "not a frame"},
		{name: "giant-frame", stream: []byte{agent.KindOutput, 0xff, 0xff, 0xff, 0xff}, size: 1000, wrong: "not a frame"},
		{name: "not-json", stream: frame(t, agent.KindResult, "{"), size: 1000, wrong: "another protocol"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.name == "byte-by-byte" { // the frame was cut: make its head say so
				binary.BigEndian.PutUint32(c.stream[1:], 4096)
			}
			l := fakeAgent(t, func(conn net.Conn, orders *json.Decoder) {
				var o agent.Order
				if orders.Decode(&o) != nil || o.Run == nil || o.Run.Seq != 1 {
					return
				}
				for rest := c.stream; len(rest) > 0; {
					n := min(c.size, len(rest))
					out := piece(1, rest[:n])
					if c.noise {
						out = append(out, piece(2, []byte("warning"))...)
					}
					if _, err := conn.Write(out); err != nil {
						return
					}
					rest = rest[n:]
				}
			})
			var heard bytes.Buffer
			r, err := l.talk(t.Context(), agent.Run{Argv: []string{"x"}}, func(_ byte, p []byte) error { heard.Write(p); return nil })
			if c.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), c.wrong) {
					t.Errorf("error %v, want %q in it", err, c.wrong)
				}
				return
			}
			if err != nil || r.Exit != 3 {
				t.Fatalf("result %+v, %v", r, err)
			}
			if c.name != "byte-by-byte" && heard.String() != strings.Repeat(c.heard, 4000) {
				t.Errorf("heard %d bytes that are not what was said", heard.Len())
			}
			if c.noise && !strings.Contains(l.complaint(), "warning") {
				t.Errorf("complaint %q", l.complaint())
			}
		})
	}
}

func TestAwaitHello(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		said  []byte
		wrong string
	}{
		{"hello", piece(1, frame(t, agent.KindHello, agent.Hello{Version: agent.Version})), ""},
		{"another-version", piece(1, frame(t, agent.KindHello, agent.Hello{Version: agent.Version + 1})), "another protocol"},
		{"another-frame", piece(1, frame(t, agent.KindOutput, "x")), "another protocol"},
		{"not-json", piece(1, frame(t, agent.KindHello, "x")), "another protocol"},
		{"a-crash", piece(2, []byte("exec format error\n")), `did not start: EOF: "exec format error\n"`},
		{"no-engine-stream", []byte("<html>....."), "damaged"},
		{"nothing", nil, "did not start"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := fakeAgent(t, func(conn net.Conn, _ *json.Decoder) { _, _ = conn.Write(c.said) })
			err := l.awaitHello(t.Context())
			if c.wrong == "" && err != nil || c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
				t.Errorf("error %v, want %q in it", err, c.wrong)
			}
		})
	}
}

func TestAwaitHelloStops(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := fakeAgent(t, func(_ net.Conn, orders *json.Decoder) { _ = orders.Decode(new(agent.Order)) })
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		began := time.Now()
		if err := l.awaitHello(ctx); err == nil || time.Since(began) != time.Second+stopPatience {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		l.conn.Close()
	})
}

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// TestTalkStops requires the order that each way of ending a context leads to, and its bound on a silent agent.
func TestTalkStops(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		cause error
		grace time.Duration // of the request
		want  time.Duration // in the order
	}{
		{"cancelled", context.Canceled, time.Hour, trial.StopGrace},
		{"short-grace", context.Canceled, time.Second, time.Second},
		{"killed", trial.ErrKillNow, time.Hour, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				got := make(chan *agent.Stop, 1)
				l := fakeAgent(t, func(_ net.Conn, orders *json.Decoder) {
					var o agent.Order
					for orders.Decode(&o) == nil {
						if o.Stop != nil {
							got <- o.Stop
						}
						o = agent.Order{}
					}
				})
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(time.Minute, func() { cancel(c.cause) })
				began := time.Now()
				_, err := l.talk(ctx, agent.Run{Argv: []string{"x"}, Grace: c.grace}, nil)
				if err == nil || !strings.Contains(err.Error(), "not answered") {
					t.Errorf("error %v", err)
				}
				if took := time.Since(began) - time.Minute; took != c.want+stopPatience {
					t.Errorf("gave up %v after the stop, want %v", took, c.want+stopPatience)
				}
				if s := <-got; s.Seq != 1 || s.Grace != c.want {
					t.Errorf("order %+v, want grace %v", s, c.want)
				}
				l.conn.Close()
			})
		})
	}
}

// TestTalkLimit requires that a container which says nothing is given up a little after its attempt's limit and grace.
func TestTalkLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := fakeAgent(t, func(_ net.Conn, orders *json.Decoder) {
			var o agent.Order
			for orders.Decode(&o) == nil {
			}
		})
		began := time.Now()
		_, err := l.talk(t.Context(), agent.Run{Argv: []string{"x"}, Timeout: time.Hour, Grace: time.Minute}, nil)
		if err == nil || time.Since(began) != time.Hour+time.Minute+answerPatience {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		l.conn.Close()
	})
}
