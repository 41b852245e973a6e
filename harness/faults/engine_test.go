package faults

import (
	"compress/gzip"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// steps are the requests of an attempt by what they ask of the engine.
var steps = map[string]*regexp.Regexp{
	"create": regexp.MustCompile(`^POST .*/containers/create$`),
	"attach": regexp.MustCompile(`^POST .*/attach$`),
	"start":  regexp.MustCompile(`^POST .*/start$`),
	"wait":   regexp.MustCompile(`^POST .*/wait$`),
	"remove": regexp.MustCompile(`^DELETE .*/containers/`),
}

// engineLimit bounds a campaign whose engine misbehaves: each call has a minute, and a trial three attempts.
const engineLimit = 5 * time.Minute

// behind gives a home whose harness reaches the engine through the gate.
func behind(t *testing.T, s shape, g *gate) *home {
	t.Helper()
	h := s.home(t)
	h.extra = append(h.extra, "DOCKER_HOST="+g.address)
	return h
}

// TestEngineMisbehaves has each request of an attempt go wrong in each way, twice in a row. The trials are broken and
// run again, and the campaign is completed as if nothing had been.
func TestEngineMisbehaves(t *testing.T) {
	t.Parallel()
	brief := []string{"create answers 500", "start cuts"}
	for _, step := range slices.Sorted(maps.Keys(steps)) {
		for _, way := range slices.Sorted(maps.Keys(wounds)) {
			name := step + " " + way
			if !long() && !slices.Contains(brief, name) {
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				kind := "the engine " + way
				shared.score.point(t, kind)
				g := newGate(t)
				h := behind(t, fresh, g)
				g.set(rule{match: steps[step], skip: 5, times: 2, hurt: wounds[way]}) // after what prepares the image
				begun := time.Now()
				r := h.start(t, beginArgs()...)
				if status := r.wait(t, engineLimit); status != 0 {
					t.Errorf("exit status %d\n%s", status, r.stderr.String())
				}
				shared.score.took(kind, time.Since(begun))
				if !g.hurt() {
					t.Error("the request was not made so often: this is no point")
				}
				h.complete(t, fresh)
			})
		}
	}
}

// TestEngineStaysAway has the engine refuse every container from some moment on. The campaign stops and says why; with
// the engine back, it goes on.
func TestEngineStaysAway(t *testing.T) {
	t.Parallel()
	for _, s := range []shape{fresh, warm} {
		for _, way := range []string{"answers 500", "cuts"} {
			if !long() && (s.name != warm.name || way != "cuts") {
				continue
			}
			t.Run(s.name+" "+way, func(t *testing.T) {
				t.Parallel()
				shared.score.point(t, "the engine stays away")
				g := newGate(t)
				h := behind(t, s, g)
				r := h.start(t, beginArgs()...)
				h.awaitFinished(t, r, 3)
				g.set(rule{match: regexp.MustCompile("."), times: math.MaxInt32, hurt: wounds[way]})
				g.cut()
				r.stopped(t, r.wait(t, engineLimit), 4)
				h.asTheyMust(t)
				g.set(rule{})
				h.goOn(t, s)
			})
		}
	}
}

// goOn resumes the campaign with nothing in its way. Trials that were broken too often stay so; all others are judged.
func (h *home) goOn(t *testing.T, s shape) {
	t.Helper()
	k := &killed{home: h, shape: s}
	r := h.start(t, k.args(t)...)
	if status := r.wait(t, patience); status != 0 && status != 7 { // a control that was never judged has not held
		t.Errorf("resumed: exit status %d\n%s", status, r.stderr.String())
	}
	count := h.asTheyMust(t)
	settled := map[string]bool{}
	for _, rec := range records(t, h.journal()) {
		if rec.Type == "finished" {
			settled[rec.trial()] = true
		}
	}
	if len(settled) != s.trials() {
		t.Errorf("%d trials have an end, and %d are planned: %v", len(settled), s.trials(), count)
	}
}

// awaitFinished waits until so many attempts have their end on record.
func (h *home) awaitFinished(t *testing.T, r *run, n int) {
	t.Helper()
	k := &killed{home: h}
	if !k.await(r, moment{record: "finished", number: n}, 1) {
		t.Fatalf("the campaign ended before %d trials had:\n%s", n, r.stderr.String())
	}
}

const runesStudy = `study: runes
subject: {dir: tree, image: {name: scratch}, command: [./subject, runes], env: {FAULTS_MARK: $MARK}}
baseline: a
variants: {a: {}}
platforms: [container]
iterations: 1
classes:
  - {class: whole, match: '€END'}
`

// TestRunesAtFrames writes output whose runes lie across the frames in which an engine passes it on.
func TestRunesAtFrames(t *testing.T) {
	t.Parallel()
	needEngine(t)
	shared.score.point(t, "log split within a rune")
	h := newHome(t)
	h.write(t, runesStudy)
	h.failrate(t, 0, beginArgs()...)
	text := ""
	for name, log := range h.logs(t) {
		t.Log(name)
		text += log
	}
	want := "x" + strings.Repeat("€", 100_000) + "END\n"
	if text != want {
		t.Errorf("the log has %d bytes and not those %d: it begins with %.40q", len(text), len(want), text)
	}
	for _, r := range records(t, h.journal()) {
		if r.Type == "finished" && r.Judgement.Class != "whole" {
			t.Errorf("class %q", r.Judgement.Class)
		}
	}
}

// logs are the logs that the newest campaign has kept, by path.
func (h *home) logs(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	dirs := h.folders()
	root := filepath.Join(dirs[len(dirs)-1], "logs")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			return err
		}
		text, err := io.ReadAll(z)
		out[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
