package faults

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// hostileStudy runs one hostile subject, twice, and nothing beside it.
const hostileStudy = `study: hostile
subject:
  dir: tree
  image: {name: scratch}
  command: [./subject, MODE]
  env: {FAULTS_MARK: $MARK}
  timeout: TIMEOUT
  grace: 300ms
  isolation: {container: ISOLATION}
  limits: {pids: 64}
baseline: a
variants: {a: {}}
platforms: [PLATFORM]
stress: {none: {}}
iterations: 2
classes:
  - {class: reset, match: connection reset by peer}
`

// hostile is one thing that a subject does, and how such a trial is judged.
type hostile struct {
	name    string
	mode    string // the subject's arguments, as a list in YAML
	timeout time.Duration
	outcome string
	class   string
	only    string // the only platform; empty means all
	bytes   int64  // of output; 0 means not looked at
}

// cases are the hostile subjects. The time limit of those that end by themselves is longer than they take on a busy
// machine.
func hostiles() []hostile {
	flood := 200
	if long() {
		flood = 10_000
	}
	return []hostile{
		{name: "fork bomb", mode: "bomb", timeout: time.Second, outcome: "timeout", only: "container"},
		{name: "daemon in a session of its own", mode: "daemon", timeout: time.Minute, outcome: "pass"},
		{name: "ignores TERM", mode: "stubborn", timeout: 300 * time.Millisecond, outcome: "timeout"},
		{name: "flood of output", mode: fmt.Sprintf(`flood, "%d"`, flood), timeout: 5 * time.Minute, outcome: "fail", class: "other", bytes: int64(flood) << 20},
		{name: "one line of 100 MB", mode: `flood, "100", line`, timeout: 2 * time.Minute, outcome: "fail", class: "other", bytes: 100 << 20},
		{name: "bytes that are no text", mode: "babble", timeout: time.Minute, outcome: "fail", class: "reset"},
		{name: "grandchild holds stdout", mode: "holder", timeout: time.Minute, outcome: "fail", class: "reset"},
		{name: "forged records", mode: "forge", timeout: time.Minute, outcome: "fail", class: "other"},
	}
}

// TestHostileSubjects runs each natively, and in containers fresh and warm. Each ends in time, is judged as it should be,
// and leaves nothing; what it wrote is bounded and harmless wherever it shows.
func TestHostileSubjects(t *testing.T) {
	t.Parallel()
	for _, c := range hostiles() {
		for _, place := range []shape{native, fresh, warm} {
			if c.only != "" && c.only != place.platform || place.name == fresh.name && !long() && c.mode != "bomb" {
				continue
			}
			t.Run(c.name+"/"+place.name, func(t *testing.T) {
				t.Parallel()
				kind := "hostile subject: " + c.name
				shared.score.point(t, kind)
				if place.platform == "container" {
					needEngine(t)
				}
				h := newHome(t)
				h.write(t, c.study(place))
				r := h.start(t, beginArgs()...)
				if status := r.wait(t, 2*c.timeout+patience); status != 0 {
					t.Fatalf("exit status %d\n%s", status, r.stderr.String())
				}
				table := r.stdout.String()
				for _, e := range endings(t, h.journal()) {
					shared.score.took(kind, e.Observation.Wall)
					c.check(t, e)
				}
				harmless(t, h, table)
			})
		}
	}
}

func (c hostile) study(place shape) string {
	isolation := place.isolation
	if isolation == "" {
		isolation = "fresh"
	}
	return strings.NewReplacer("MODE", c.mode, "TIMEOUT", c.timeout.String(), "ISOLATION", isolation, "PLATFORM", place.platform).Replace(hostileStudy)
}

// ending is a finished record, as far as the hostile tests look at it.
type ending struct {
	Type        string
	ID          string
	Observation struct {
		Wall   time.Duration `json:"wall_ns"`
		Fault  string
		Output struct{ Bytes int64 }
	}
	Judgement struct{ Outcome, Class, Excerpt string }
}

// endings are a journal's finished records, of which there must be two: one a trial.
func endings(t *testing.T, journal []byte) (out []ending) {
	t.Helper()
	for line := range bytes.Lines(journal) {
		var e ending
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("journal: %v in %.300q", err, line)
		}
		if e.Type == "finished" {
			out = append(out, e)
		}
	}
	if len(out) != 2 {
		t.Fatalf("%d attempts ended, want 2: %+v", len(out), out)
	}
	return out
}

// check holds an ending against what is documented. The time bound is that of the promise in the long form, which has
// the machine to itself.
func (c hostile) check(t *testing.T, e ending) {
	t.Helper()
	if e.Judgement.Outcome != c.outcome || e.Judgement.Class != c.class {
		t.Errorf("%s is %s of class %q, want %s of class %q (%s)", e.ID, e.Judgement.Outcome, e.Judgement.Class, c.outcome, c.class, e.Observation.Fault)
	}
	if c.bytes > 0 && e.Observation.Output.Bytes != c.bytes {
		t.Errorf("%s wrote %d bytes, and %d are on record", e.ID, c.bytes, e.Observation.Output.Bytes)
	}
	within := 2 * time.Second
	if !long() {
		within = 20 * time.Second
	}
	const grace = 300 * time.Millisecond
	if bound := c.timeout + grace + within; e.Observation.Wall > bound {
		t.Errorf("%s took %v, and its limit and grace are over after %v", e.ID, e.Observation.Wall, bound)
	}
}

// harmless looks at everything that shows what the subject wrote.
func harmless(t *testing.T, h *home, table string) {
	t.Helper()
	folder := h.folders()[0]
	for name, text := range map[string]string{
		"journal": string(h.journal()), "table": table,
		"text": h.failrate(t, 0, "report", folder), "markdown": h.failrate(t, 0, "report", folder, "--format", "markdown"),
	} {
		if !utf8.ValidString(text) {
			t.Errorf("the %s is no UTF-8", name)
		}
		if i := strings.IndexFunc(text, func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f || r == '\u202e' }); i >= 0 {
			t.Errorf("the %s holds the control character %q", name, text[i])
		}
	}
	logs, err := filepath.Glob(filepath.Join(folder, "logs", "*.gz"))
	if err != nil {
		t.Fatal(err)
	}
	const most = 65 << 20 // the default of max-output, and the note on what was cut out
	for _, log := range logs {
		if n := unpacked(t, log); n > most {
			t.Errorf("%s holds %d bytes, more than %d", log, n, most)
		}
	}
}

// unpacked is the size of what a compressed file holds.
func unpacked(t *testing.T, path string) int64 {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, z)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
