package steps

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"
)

// bench runs scripts against a server.
type bench struct {
	t   *testing.T
	env map[string]string
	dir string

	mu  sync.Mutex
	log strings.Builder
}

func newBench(t *testing.T, handler http.HandlerFunc) *bench {
	t.Helper()
	b := &bench{t: t, dir: t.TempDir(), env: map[string]string{"FAILRATE_TRIAL": "v/native/none#0001", "FAILRATE_VARIANT": "v", "FAILRATE_SEED": "7"}}
	if handler != nil {
		s := httptest.NewServer(handler)
		t.Cleanup(s.Close)
		b.env[ServiceVariable("node")] = strings.TrimPrefix(s.URL, "http://")
	}
	return b
}

func (b *bench) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.log.Write(p)
}

func (b *bench) run(steps ...Step) Record {
	b.t.Helper()
	r, err := b.runIn(context.Background(), steps...)
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

func (b *bench) runIn(ctx context.Context, steps ...Step) (Record, error) {
	return Runner{Env: func(n string) (string, bool) { v, ok := b.env[n]; return v, ok }, Dir: b.dir, Log: b, Now: time.Now}.Run(ctx, Script{steps})
}

// wants compares what a record says; the message is an expression.
func (b *bench) wants(r Record, outcome, class, message string) {
	b.t.Helper()
	if r.Outcome != outcome || r.Class != class || !regexp.MustCompile("^"+message+"$").MatchString(r.Message) {
		b.t.Errorf("got  %s %q: %s\nwant %s %q: %s\n%s", r.Outcome, r.Class, r.Message, outcome, class, message, b.log.String())
	}
}

func echo(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"method":%q,"path":%q,"host":%q,"type":%q,"agent":%q,"encoding":%q,"length":%d,"body":%q,"header":%q}`, r.Method, r.URL.RequestURI(), r.Host,
		r.Header.Get("Content-Type"), r.UserAgent(), r.Header.Get("Accept-Encoding"), r.ContentLength, body, r.Header.Get("X-A"))
}

func TestRequests(t *testing.T) {
	t.Parallel()
	b := newBench(t, echo)
	b.env["INDEX"] = "a b"
	if err := os.WriteFile(filepath.Join(b.dir, "doc.json"), []byte("{uid}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := b.run(
		Step{Name: "post", Method: "POST", URL: "http://{node}/x/${INDEX}?t={trial}", Body: `{"i":"${INDEX}"}`, Headers: map[string]string{"Content-Type": "application/json", "X-A": "{seed}", "host": "other"},
			JSON: map[string]string{"/method": "POST", "/path": "/x/a%20b?t=v/native/none%230001", "/host": "other", "/type": "application/json", "/agent": "failrate", "/encoding": "",
				"/length": "11", "/body": `{"i":"a b"}`, "/header": "7"}, Save: map[string]string{"uid": "/body", "all": ""}},
		Step{Name: "file", Method: "PUT", URL: "http://{node}/{seed}", BodyFile: "doc.json", JSON: map[string]string{"/length": "6", "/method": "PUT"}, Match: `"body":"\{uid\}\\n"`},
		Step{Name: "get", Method: "GET", URL: "http://{node}", Match: `"path":"/".*"length":0,"body":""`},
		Step{Name: "delete", Method: "DELETE", URL: "http://{node}/", Match: `"method":"DELETE"`, Metric: "gone"},
		Step{Name: "head", Method: "HEAD", URL: "http://{node}/", Status: []int{404, 200}},
		Step{Name: "same", Same: []string{"{uid}", `{"i":"${INDEX}"}`}},
		Step{Name: "pause", Wait: "1ms"},
	)
	if r.Outcome != Passed || strings.Join(r.Evidence, " ") != "post file get delete head same pause" || r.Message != "" {
		t.Errorf("%+v\n%s", r, b.log.String())
	}
	names := slices.Sorted(maps.Keys(r.Metrics))
	if strings.Join(names, " ") != "file_ms get_ms gone head_ms post_ms" || r.Metrics["gone"] <= 0 || r.Metrics["gone"] > 60_000 {
		t.Errorf("metrics %v", r.Metrics)
	}
}

// An endpoint per kind of answer.
func zoo(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/503":
		http.Error(w, `{"message":"no shards"}`, http.StatusServiceUnavailable)
	case "/redirect":
		http.Redirect(w, r, "/json", http.StatusFound)
	case "/cookie":
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		if len(r.Cookies()) > 0 {
			w.WriteHeader(http.StatusTeapot)
		}
	case "/json":
		fmt.Fprint(w, `{"n":3.0,"s":"x","list":[1,{"a":null}]}`)
	case "/text":
		fmt.Fprint(w, "all is \x1b[31mwell\x00\xff\n")
	}
}

func TestExpectations(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		step           Step
		class, message string
		broken         bool
	}{
		"status":              {step: Step{URL: "/503"}, message: `ask \(s:1:1\): status 503, not 200 to 299: {"message":"no shards"}\\n`},
		"status list":         {step: Step{URL: "/json", Status: []int{201, 404}}, message: `.*: status 200, not 201 or 404: {"n".*`},
		"redirect":            {step: Step{URL: "/redirect"}, message: `.*status 302, not 200 to 299: .*`},
		"match":               {step: Step{URL: "/text", Match: "^well"}, message: `.*: the answer does not match "\^well": all is \\u001b\[31mwell\\u0000\\xff\\n`},
		"JSON of text":        {step: Step{URL: "/text", JSON: map[string]string{"/a": "1"}}, message: ".*: the answer is not JSON: all is .*"},
		"no JSON at all":      {step: Step{URL: "/none", JSON: map[string]string{"/a": "1"}}, message: ".*: the answer is not JSON"},
		"JSON missing":        {step: Step{URL: "/json", JSON: map[string]string{"/list/2": "1"}}, message: ".*: /list/2 is not in the answer: {.*"},
		"JSON number":         {step: Step{URL: "/json", JSON: map[string]string{"/n": "3"}}, message: ".*: /n is 3.0, not 3"},
		"JSON object":         {step: Step{URL: "/json", JSON: map[string]string{"/list/1": `{}`}}, message: `.*: /list/1 is {"a":null}, not {}`},
		"save missing":        {step: Step{URL: "/json", Save: map[string]string{"uid": "/uid"}}, message: ".*: /uid, to be saved as uid, is not in the answer: .*"},
		"own class":           {step: Step{URL: "/503", Class: "own"}, class: "own", message: ".*"},
		"class by status":     {step: Step{URL: "/503", Class: "own", Classes: []Class{{Class: "a", Status: []int{500}}, {Class: "b", Status: []int{500, 503}}}}, class: "b", message: ".*"},
		"class by body":       {step: Step{URL: "/503", Classes: []Class{{Class: "a", Status: []int{503}, Match: "nothing"}, {Class: "b", Match: "no (shards)"}}}, class: "b", message: ".*"},
		"first class":         {step: Step{URL: "/503", Classes: []Class{{Class: "a"}, {Class: "b", Status: []int{503}}}}, class: "a", message: ".*"},
		"filled class":        {step: Step{URL: "/503", Classes: []Class{{Class: "a", Match: "{seed}"}, {Class: "b", Match: "{word} shards"}}}, class: "b", message: ".*"},
		"no class":            {step: Step{URL: "/503", Classes: []Class{{Class: "a", Match: "x"}}}, message: ".*"},
		"unknown name":        {step: Step{URL: "/{nobody}"}, broken: true, message: `ask \(s:1:1\): {nobody} has no value`},
		"unknown in match":    {step: Step{URL: "/json", Match: "{nobody}"}, broken: true, message: `.*{nobody} has no value`},
		"unknown in JSON":     {step: Step{URL: "/json", JSON: map[string]string{"/a": "{nobody}"}}, broken: true, message: `.*{nobody} has no value`},
		"unknown in header":   {step: Step{URL: "/json", Headers: map[string]string{"A": "${NOBODY}"}}, broken: true, message: `.*\${NOBODY} has no value`},
		"unknown in body":     {step: Step{URL: "/json", Body: "{nobody}"}, broken: true, message: `.*{nobody} has no value`},
		"unknown in class":    {step: Step{URL: "/503", Classes: []Class{{Class: "a", Match: "{nobody}"}}}, broken: true, message: `.*classes: {nobody} has no value`},
		"bad URL":             {step: Step{URL: "/%zz"}, broken: true, message: `.* is not a URL`},
		"bad header":          {step: Step{URL: "/", Headers: map[string]string{"A": "a\nb"}}, broken: true, message: `.*the header A holds a line break`},
		"file missing":        {step: Step{URL: "/", BodyFile: "none.json"}, broken: true, message: `.*body-file: .*no such file or directory`},
		"file outside":        {step: Step{URL: "/", BodyFile: "../none.json"}, broken: true, message: `.*body-file: .*path escapes from parent`},
		"file that is a tree": {step: Step{URL: "/", BodyFile: "."}, broken: true, message: `.*body-file: . is not a file`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, zoo)
			b.env["FAILRATE_PARAM_WORD"] = "no"
			c.step.Name, c.step.Source, c.step.URL = "ask", "s:1:1", "http://{node}"+c.step.URL
			if c.step.Method = "GET"; c.step.Body != "" {
				c.step.Method = "POST"
			}
			r := b.run(c.step, Step{Name: "next", Wait: "0s"})
			want := Failed
			if c.broken {
				want = Broken
			}
			b.wants(r, want, c.class, c.message)
			if len(r.Evidence) > 0 || len(r.Metrics) > 0 {
				t.Errorf("%+v", r)
			}
			if log := b.log.String(); strings.ContainsAny(log, "\x1b\x00") || !utf8.ValidString(log) || !strings.Contains(log, "step 1 of 2: ask (s:1:1): ") || !strings.Contains(log, "s  "+want) {
				t.Errorf("%q", log)
			}
		})
	}
}

func TestNoCookies(t *testing.T) {
	t.Parallel()
	b := newBench(t, zoo)
	b.wants(b.run(Step{Method: "GET", URL: "http://{node}/cookie", Repeat: 3}), Passed, "", "")
}

// Each request has a connection of its own.
func TestConnections(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "%q", r.RemoteAddr) })
	get := func(name string) Step {
		return Step{Method: "GET", URL: "http://{node}/", Save: map[string]string{name: ""}}
	}
	b.wants(b.run(get("one"), get("two"), Step{Differ: []string{"{one}", "{two}"}}), Passed, "", "")
}

func TestWithin(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	b := newBench(t, func(w http.ResponseWriter, _ *http.Request) {
		if n := asked.Add(1); n < 5 {
			http.Error(w, fmt.Sprint("not yet ", n), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, `{"hits":1}`)
	})
	r := b.run(Step{Name: "hit", Method: "GET", URL: "http://{node}/", JSON: map[string]string{"/hits": "1"}, Within: time.Minute, Every: 10 * time.Millisecond, Save: map[string]string{"n": "/hits"}},
		Step{Same: []string{"{n}", "1"}})
	b.wants(r, Passed, "", "")
	if asked.Load() != 5 || r.Metrics["hit_ms"] < 40 {
		t.Errorf("asked %d times, %v", asked.Load(), r.Metrics)
	}
	if log := b.log.String(); strings.Count(log, "status 503") != 1 || !strings.Contains(log, "(3 more with the same status)") || !strings.Contains(log, "and 5 requests") {
		t.Error(log)
	}
	asked.Store(-1 << 20)
	r = b.run(Step{Name: "hit", Method: "GET", URL: "http://{node}/", Within: 2 * time.Second, Every: 200 * time.Millisecond, Classes: []Class{{Class: "stale", Status: []int{503}}}})
	b.wants(r, Failed, "stale", `hit: not within 2s, in [0-9]+ tries; at last: status 503, not 200 to 299: not yet .*`)
	if n := asked.Load() + 1<<20; n < 1 || n > 10 {
		t.Errorf("asked %d times", n)
	}
}

// A request that the step's own time ends says less than the answer before it.
func TestWithinEndsARequest(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	b := newBench(t, func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) > 1 {
			<-r.Context().Done()
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	r := b.run(Step{Method: "GET", URL: "http://{node}/", Within: 2 * time.Second, Every: time.Millisecond, Classes: []Class{{Class: "stale", Status: []int{503}}}})
	b.wants(r, Failed, "stale", `not within 2s, in 2 tries; at last: status 503.*`)
	r = b.run(Step{Method: "GET", URL: "http://{node}/", Within: 100 * time.Millisecond, Classes: []Class{{Class: "stale", Status: []int{503}}, {Class: "slow", Match: "^timeout: no answer"}}})
	b.wants(r, Failed, "slow", `not within 100ms, in 1 tries; at last: timeout: no answer within .*`)
}

func TestRepeat(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	b := newBench(t, func(w http.ResponseWriter, _ *http.Request) {
		if n := asked.Add(1); n == 6 {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	ask := Step{Name: "many", Method: "GET", URL: "http://{node}/", Repeat: 4}
	b.wants(b.run(ask), Passed, "", "")
	b.wants(b.run(ask), Failed, "", `many: request 2 of 4: status 500, not 200 to 299`)
}

func TestGoOn(t *testing.T) {
	t.Parallel()
	b := newBench(t, zoo)
	bad := Step{Name: "bad", Method: "GET", URL: "http://{node}/503", Class: "first", GoOn: true, Save: map[string]string{"uid": "/uid"}}
	next := Step{Name: "next", Method: "GET", URL: "http://{node}/json"}
	last := Step{Name: "last", Method: "GET", URL: "http://{node}/503", Class: "second"}
	r := b.run(bad, next, last, next)
	b.wants(r, Failed, "first", "bad: status 503.*")
	if strings.Join(r.Evidence, " ") != "next" || len(r.Metrics) != 1 {
		t.Errorf("%+v", r)
	}
	r = b.run(bad, Step{Name: "uses", Method: "GET", URL: "http://{node}/{uid}"}, next) // what failed has failed
	b.wants(r, Failed, "first", "bad: status 503.*")
	if len(r.Evidence) != 0 || !strings.Contains(b.log.String(), "failed: {uid} has no value, because the step that saves it failed") {
		t.Errorf("%+v\n%s", r, b.log.String())
	}
	b.wants(b.run(bad, Step{Name: "typo", Wait: "{uidd}"}), Failed, "first", "bad: status 503.*")
	b.wants(b.run(next, Step{Name: "typo", Wait: "{uidd}", GoOn: true}, next), Broken, "", "typo: {uidd} has no value")
	again := bad
	again.URL, again.Save = "http://{node}/json", map[string]string{"uid": "/s"}
	b.wants(b.run(bad, again, Step{Name: "x", Same: []string{"{uid}", "x"}}), Failed, "first", "bad: status 503.*")
}

func TestVariants(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	r := b.run(Step{Name: "a", Wait: "0s", Only: []string{"v", "w"}}, Step{Name: "b", Wait: "0s", Only: []string{"w"}}, Step{Name: "c", Wait: "0s", Except: []string{"v"}}, Step{Name: "d", Wait: "0s", Except: []string{"w"}})
	if strings.Join(r.Evidence, " ") != "a d" || strings.Count(b.log.String(), "left out, as it is not for v") != 2 {
		t.Errorf("%+v\n%s", r, b.log.String())
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	for _, c := range []struct {
		step             Step
		outcome, message string
	}{
		{Step{Same: []string{"{seed}", "7", "7"}}, Passed, ""},
		{Step{Same: []string{"{seed}", "7", "8\x1b"}, Class: "c"}, Failed, `8\\u001b is 8\\u001b, which is not what {seed} is`},
		{Step{Differ: []string{"{seed}", "8", ""}}, Passed, ""},
		{Step{Differ: []string{"{seed}", "8", "7"}, Class: "c"}, Failed, `{seed} and 7 are both 7`},
		{Step{Differ: []string{"{seed}", "{nobody}"}}, Broken, `{nobody} has no value`},
		{Step{Wait: "soon"}, Broken, "soon is not a duration"},
		{Step{Wait: "-1s"}, Broken, "-1s is not a duration"},
		{Step{}, Broken, "the step does not say what it does"},
	} {
		class := c.step.Class
		if c.outcome != Failed {
			class = ""
		}
		b.wants(b.run(c.step), c.outcome, class, c.message)
	}
}

// The end of the context ends a script at once, wherever it is.
func TestStopped(t *testing.T) {
	t.Parallel()
	stop := errors.New("stop")
	for name, step := range map[string]Step{
		"waits":  {Wait: "1h"},
		"asks":   {Method: "GET", URL: "http://{node}/hang", Timeout: time.Hour},
		"again":  {Method: "GET", URL: "http://{node}/503", Within: time.Hour, Every: time.Hour},
		"action": {Action: Cut, Services: []string{"node"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			b := newBench(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/503" {
					http.Error(w, "no", http.StatusServiceUnavailable)
				}
				cancel(stop)
				if r.URL.Path != "/503" {
					<-r.Context().Done()
				}
			})
			b.env[ControlVariable] = "http://" + b.env[ServiceVariable("node")]
			if step.Wait != "" {
				time.AfterFunc(10*time.Millisecond, func() { cancel(stop) })
			}
			if r, err := b.runIn(ctx, step, Step{Name: "next", Wait: "0s"}); !errors.Is(err, stop) || r.Outcome != "" || r.Evidence != nil {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}

// A look may fail, and what comes after it can depend on what was seen.
func TestOptionalAndAfter(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/busy" {
			http.Error(w, "no shards available", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, `{"a": 1}`)
	})
	seen := Step{Name: "seen", Method: "GET", URL: "http://{node}/", JSON: map[string]string{"/a": "1"}, Optional: true}
	unseen := Step{Name: "unseen", Method: "GET", URL: "http://{node}/", JSON: map[string]string{"/a": "2"}, Save: map[string]string{"v": "/b"}, Optional: true}
	busy := Step{Method: "GET", URL: "http://{node}/busy", Classes: []Class{
		{Class: "both", Status: []int{503}, After: []string{"seen", "unseen"}}, {Class: "one", After: []string{"seen"}}, {Class: "rest"},
	}}
	b.wants(b.run(seen, unseen, busy), Failed, "one", ".*status 503.*")
	b.wants(b.run(unseen, busy), Failed, "rest", ".*status 503.*")
	only := busy
	only.After = []string{"unseen"}
	r := b.run(seen, unseen, only)
	b.wants(r, Passed, "", "")
	if !slices.Equal(r.Evidence, []string{"seen"}) {
		t.Errorf("evidence %q", r.Evidence)
	}
	only.After, only.Unless = nil, []string{"unseen", "seen"}
	b.wants(b.run(seen, unseen, only), Passed, "", "")
	b.wants(b.run(unseen, only), Failed, "rest", ".*status 503.*")
	b.wants(b.run(unseen, Step{Same: []string{"{v}", "1"}}), Failed, "", ".*v.*")
	b.wants(b.run(Step{Method: "GET", URL: "http://{nobody}/", Optional: true}), Broken, "", ".*nobody.*")
}
