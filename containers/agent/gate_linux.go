package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"
)

const (
	probePatience = 5 * time.Second
	maxAsked      = 64      // requests that wait for an answer at once
	maxAskedPath  = 1 << 10 // bytes
)

// gateway is the gate while it runs.
type gateway struct {
	frames *Writer
	slots  chan struct{}

	mu    sync.Mutex
	next  int
	asked map[int]chan Answer
}

// gate carries words between its network and the harness until stdin ends.
func gate(in io.Reader, out io.Writer) int {
	g := &gateway{frames: &Writer{To: out}, slots: make(chan struct{}, maxAsked), asked: map[int]chan Answer{}}
	l, err := net.Listen("tcp", ":"+strconv.Itoa(GatePort))
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return 1
	}
	server := &http.Server{Handler: g, ReadHeaderTimeout: probePatience, MaxHeaderBytes: 16 << 10}
	go func() { _ = server.Serve(l) }() // it ends with this process
	if err := g.frames.Value(KindHello, Hello{Version: Version, UID: os.Getuid(), GID: os.Getgid()}); err != nil {
		return 1
	}
	for lines := json.NewDecoder(in); ; {
		var o GateOrder
		if err := lines.Decode(&o); err != nil {
			return 0
		}
		if o.Answer != nil {
			g.answer(*o.Answer)
		}
		if o.Probe != nil {
			go g.probe(*o.Probe)
		}
	}
}

// ServeHTTP hands a request on to the harness, and its answer back.
func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case g.slots <- struct{}{}:
		defer func() { <-g.slots }()
	default:
		http.Error(w, "too many requests at once", http.StatusServiceUnavailable)
		return
	}
	if len(r.URL.Path) > maxAskedPath || len(r.Method) > maxAskedPath {
		http.Error(w, "the request is too long", http.StatusRequestURITooLong)
		return
	}
	answer := make(chan Answer, 1)
	g.mu.Lock()
	g.next++
	id := g.next
	g.asked[id] = answer
	g.mu.Unlock()
	defer func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.asked, id)
	}()
	if g.frames.Value(KindGate, GateSaid{Asked: &Asked{ID: id, Method: r.Method, Path: r.URL.Path}}) != nil {
		return
	}
	select {
	case a := <-answer:
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(a.Status)
		_, _ = io.WriteString(w, a.Text)
	case <-r.Context().Done():
	}
}

func (g *gateway) answer(a Answer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c := g.asked[a.ID]; c != nil {
		c <- a
		delete(g.asked, a.ID)
	}
}

func (g *gateway) probe(p Probe) {
	said := Probed{ID: p.ID}
	if err := probe(p); err != nil {
		said.Why = err.Error()
	}
	_ = g.frames.Value(KindGate, GateSaid{Probed: &said}) // without a harness nobody waits
}

func probe(p Probe) error {
	ctx, cancel := context.WithTimeout(context.Background(), probePatience)
	defer cancel()
	if p.HTTP == "" {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", p.Address)
		if err != nil {
			return err
		}
		return conn.Close()
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.Address+p.HTTP, nil)
	if err != nil {
		return err
	}
	t := &http.Transport{DisableKeepAlives: true} // no proxy
	answer, err := t.RoundTrip(r)                 // and no redirects
	if err != nil {
		return fmt.Errorf("GET %s: %w", p.HTTP, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != p.Status {
		return fmt.Errorf("GET %s: status %d", p.HTTP, answer.StatusCode)
	}
	return nil
}
