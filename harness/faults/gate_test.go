package faults

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/docker/docker/client"
)

// gate stands between a harness and the engine. It lets everything through but the requests that its rule is for.
type gate struct {
	address string // for DOCKER_HOST
	through *httputil.ReverseProxy

	mu   sync.Mutex
	rule rule
	hits int
	held map[net.Conn]bool // attached connections
}

// rule says what becomes of which requests: of those that match, the first skip go through, and the next times are hurt.
type rule struct {
	match       *regexp.Regexp
	skip, times int
	hurt        wound
}

// wound is a way to treat a request; pass lets it through.
type wound func(w http.ResponseWriter, r *http.Request, pass http.Handler)

// wounds are the ways in which an engine misbehaves. A hang lasts as long as the client waits.
var wounds = map[string]wound{
	"answers 500": func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		http.Error(w, `{"message":"no space left on device"}`, http.StatusInternalServerError)
	},
	"cuts": func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		if c, _, err := w.(http.Hijacker).Hijack(); err == nil {
			_ = c.Close()
		}
	},
	"is slow": func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		timer := time.NewTimer(2 * time.Second)
		defer timer.Stop()
		select {
		case <-timer.C:
			pass.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	},
	"hangs": func(_ http.ResponseWriter, r *http.Request, _ http.Handler) {
		_, _ = io.Copy(io.Discard, r.Body) // else the client's leaving is not seen
		<-r.Context().Done()
	},
}

// newGate opens one; it is shut with the test.
func newGate(t *testing.T) *gate {
	t.Helper()
	host := needEngine(t).DaemonHost()
	engine, local := strings.CutPrefix(host, "unix://")
	if !local {
		t.Skipf("SKIPPED: the engine at %s is not on a socket of this machine", host)
	}
	folder, err := os.MkdirTemp("", "gate") // the path of a socket has to be short
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(folder, "s")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", engine)
	}}
	g := &gate{address: "unix://" + socket, held: map[net.Conn]bool{}, through: &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: client.DummyHost}) },
		Transport:     transport,
		FlushInterval: -1,
		ErrorHandler:  func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}}
	base, end := context.WithCancel(context.Background())
	server := &http.Server{Handler: g, ConnState: g.note, BaseContext: func(net.Listener) context.Context { return base }}
	served := make(chan struct{})
	go func() { defer close(served); _ = server.Serve(listener) }()
	t.Cleanup(func() {
		end()
		g.cut()
		_ = server.Close()
		<-served
		transport.CloseIdleConnections()
		if err := os.RemoveAll(folder); err != nil {
			t.Error(err)
		}
	})
	return g
}

// ServeHTTP lets a request through or hurts it.
func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if hurt := g.hurts(r); hurt != nil {
		hurt(w, r, g.through)
		return
	}
	g.through.ServeHTTP(w, r)
}

func (g *gate) hurts(r *http.Request) wound {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.rule.match == nil || !g.rule.match.MatchString(r.Method+" "+r.URL.Path) {
		return nil
	}
	g.hits++
	if g.hits <= g.rule.skip || g.hits > g.rule.skip+g.rule.times {
		return nil
	}
	return g.rule.hurt
}

// set puts a rule in the place of the one before; the zero rule lets everything through.
func (g *gate) set(r rule) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.rule, g.hits = r, 0
}

// hurt reports whether the rule has hurt a request.
func (g *gate) hurt() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.hits > g.rule.skip
}

func (g *gate) note(c net.Conn, s http.ConnState) {
	if s == http.StateHijacked {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.held[c] = true
	}
}

// cut ends every attached connection.
func (g *gate) cut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for c := range g.held {
		_ = c.Close()
	}
	clear(g.held)
}
