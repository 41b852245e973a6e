package containers

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

	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
)

// badEngine stands between an executor and the engine, and does to the requests that match what it is told.
type badEngine struct {
	host string

	mu    sync.Mutex
	match *regexp.Regexp
	do    func(w http.ResponseWriter, r *http.Request, pass http.Handler)
	hits  int
	conns map[net.Conn]bool // hijacked ones
}

// newBadEngine starts one that passes everything on. It ends, and closes what it holds, with the test.
func newBadEngine(t *testing.T) *badEngine {
	t.Helper()
	path, ok := strings.CutPrefix(needEngine(t).Host, "unix://")
	if !ok {
		t.Skip("SKIPPED: the engine is not on a socket of this host")
	}
	dir, err := os.MkdirTemp("", "failrate") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	b := &badEngine{host: "unix://" + filepath.Join(dir, "s"), conns: map[net.Conn]bool{}}
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	pass := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: "engine"}) },
		Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", path)
		}},
		FlushInterval: -1,
		ErrorHandler:  func(w http.ResponseWriter, _ *http.Request, err error) { w.WriteHeader(http.StatusBadGateway) },
	}
	base, end := context.WithCancel(context.Background())
	s := &http.Server{
		BaseContext: func(net.Listener) context.Context { return base },
		Handler:     http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { b.serve(w, r, pass) }),
		ConnState:   b.note,
	}
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Serve(l) }()
	t.Cleanup(func() {
		end()
		b.cut()
		s.Close()
		<-done
		pass.Transport.(*http.Transport).CloseIdleConnections()
		os.RemoveAll(dir)
	})
	return b
}

func (b *badEngine) serve(w http.ResponseWriter, r *http.Request, pass http.Handler) {
	b.mu.Lock()
	do := b.do
	if b.match == nil || !b.match.MatchString(r.Method+" "+r.URL.Path) {
		do = nil
	} else {
		b.hits++
	}
	b.mu.Unlock()
	if do == nil {
		pass.ServeHTTP(w, r)
		return
	}
	do(w, r, pass)
}

func (b *badEngine) note(c net.Conn, s http.ConnState) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s == http.StateHijacked {
		b.conns[c] = true
	}
}

// cut ends every attached connection.
func (b *badEngine) cut() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for c := range b.conns {
		c.Close()
	}
}

// set says what to do to which requests; nil means to pass everything on again.
func (b *badEngine) set(pattern string, do func(http.ResponseWriter, *http.Request, http.Handler)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.match, b.do, b.hits = regexp.MustCompile(pattern), do, 0
}

func (b *badEngine) hit() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.hits > 0
}

// The ways in which the engine misbehaves.
func hang(_ http.ResponseWriter, r *http.Request, _ http.Handler) {
	_, _ = io.Copy(io.Discard, r.Body) // else the server does not see the client go
	<-r.Context().Done()
}

func late(w http.ResponseWriter, r *http.Request, pass http.Handler) { // it does it and does not say so
	pass.ServeHTTP(discard{http.Header{}}, r.WithContext(context.WithoutCancel(r.Context())))
	<-r.Context().Done()
}

func sever(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
	if c, _, err := w.(http.Hijacker).Hijack(); err == nil {
		c.Close()
	}
}

func refuse(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
	http.Error(w, `{"message":"disk full\nin /var/lib/docker"}`, http.StatusInternalServerError)
}

func babble(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
	_, _ = io.WriteString(w, "<html>not an engine</html>")
}

type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(b []byte) (int, error) { return len(b), nil }
func (d discard) WriteHeader(int)             {}

// TestBadEngine has the engine misbehave in every way at every step of an attempt. The attempt must come to an end
// soon, be a fault or unharmed, and leave nothing.
func TestBadEngine(t *testing.T) {
	t.Parallel()
	images := hostile(t, needEngine(t))
	for step, pattern := range map[string]string{
		"create": `^POST .*/containers/create$`, "attach": `^POST .*/attach$`, "start": `^POST .*/start$`,
		"wait": `^POST .*/wait$`, "remove": `^DELETE .*/containers/`,
	} {
		for way, do := range map[string]func(http.ResponseWriter, *http.Request, http.Handler){
			"hang": hang, "late": late, "sever": sever, "refuse": refuse, "babble": babble,
		} {
			if step == "attach" && way == "late" {
				continue // a hijacked connection cannot be passed on to nobody
			}
			if step == "remove" && way == "babble" {
				continue // an engine that only claims to have removed it: nothing but a later sweep can tell
			}
			t.Run(step+"/"+way, func(t *testing.T) {
				t.Parallel()
				b := newBadEngine(t)
				e, err := Connect(t.Context(), ConnectOptions{Host: b.host, Deadline: 5 * time.Second})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { e.Close() })
				x := newExecutor(t, Options{Engine: e, Images: images})
				x.networks.own = true // no holder: each step happens once
				b.set(pattern, do)
				began := time.Now()
				o := x.Execute(t.Context(), attemptOf(t, "./hostile", "exit=3"))
				if took := time.Since(began); took > time.Minute {
					t.Errorf("took %v", took)
				}
				if !b.hit() {
					t.Fatal("the step was not reached")
				}
				late := step == "wait" || step == "remove" || way == "late" && step == "start"
				switch {
				case late && o.Fault == "" && o.Exit == 3: // what the attempt was is known
				case o.Fault != "" && o.Exit == -1 && o.Signal == "" && !o.OOM && !o.Limit && !strings.Contains(o.Fault, "\n"):
				default:
					t.Errorf("%+v", o)
				}
				b.set("^none$", nil)
			})
		}
	}
}

// TestConnectionCut ends the attached connection of a running trial, and the engine with it.
func TestConnectionCut(t *testing.T) {
	t.Parallel()
	for _, i := range []study.ContainerIsolation{study.ContainerFresh, study.ContainerWarm} {
		t.Run(string(i), func(t *testing.T) {
			t.Parallel()
			b := newBadEngine(t)
			e, err := Connect(t.Context(), ConnectOptions{Host: b.host})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { e.Close() })
			x := newExecutor(t, Options{Engine: e, Isolation: i, Images: hostile(t, e)})
			r := attemptOf(t, "./hostile", "touch=$FAILRATE_BURST", "sleep=")
			r.Burst, r.Out.Burst = true, r.Out.Log+".burst"
			done := make(chan trial.Observation)
			go func() { done <- x.Execute(t.Context(), r) }()
			awaitFile(t, r.Out.Burst)
			b.set(".", sever)
			b.cut()
			if o := <-done; o.Fault == "" || o.Exit != -1 || o.Signal != "" || o.Limit || o.OOM {
				t.Errorf("%+v", o)
			}
			b.set("^none$", nil)
			if o := x.Execute(t.Context(), attemptOf(t, "./hostile")); o.Exit != 0 || o.Fault != "" {
				t.Errorf("with the engine back: %+v", o)
			}
		})
	}
}

// TestStopWhileEngineHangs requires that a stopped attempt ends soon, though the engine does not answer.
func TestStopWhileEngineHangs(t *testing.T) {
	t.Parallel()
	b := newBadEngine(t)
	e, err := Connect(t.Context(), ConnectOptions{Host: b.host, Deadline: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	x := newExecutor(t, Options{Engine: e, Images: hostile(t, needEngine(t))})
	b.set("/containers/", hang)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan trial.Observation)
	go func() { done <- x.Execute(ctx, attemptOf(t, "./hostile")) }()
	awaitTrue(t, b.hit)
	cancel()
	if o := <-done; !o.Stopped || o.Fault != "" { // with the deadline of an hour, it would not come
		t.Errorf("%+v", o)
	}
	b.set("^none$", nil)
}
