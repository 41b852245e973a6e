package faults

import (
	"strconv"
	"strings"
	"testing"
	"time"
)

// shape is a way to run the steady campaign.
type shape struct {
	name      string
	platform  string // native or container
	isolation string // of the platform: copy, fresh, …; empty means the default
	setup     string // how long set-up takes; empty means that there is none
	jobs      int    // trials at once; 0 means 1

	iterations int // of each variant and stress level; a fresh container takes its time
}

var (
	native = shape{name: "native", platform: "native", iterations: 14}
	fresh  = shape{name: "fresh container", platform: "container", isolation: "fresh", iterations: 2}
	busy   = shape{name: "native with set-up, 3 at once", platform: "native", setup: "200ms", jobs: 3, iterations: 14}
	warm   = shape{name: "warm container", platform: "container", isolation: "warm", iterations: 14}
)

// steadyStudy has two variants and a control, with and without stress. Whether a trial fails follows from its number.
const steadyStudy = `study: steady
subject:
  dir: tree
  image: {name: scratch}
  command: [./subject, steady]
  env: {ENV}
  timeout: 30s
SUBJECT
baseline: a
variants:
  a: {args: ["7"]}
  b: {args: ["3"]}
controls:
  always: {args: ["20"], expect: {fail: true, at-least: 100%}, iterations: 1}
platforms: [PLATFORM]
stress: {none: {}, cpu-1x: {cpu: 1x}}
iterations: ITERATIONS
classes:
  - {class: reset, match: connection reset by peer}
`

// trials is how many the campaign has: in each of two strata two variants, and the control once before and once after.
func (s shape) trials() int { return 2 * (2*s.iterations + 2) }

// study is the text of its study.yaml.
func (s shape) study() string {
	env, subject := "FAULTS_MARK: $MARK", ""
	if s.platform == "native" {
		env += ", FAULTS_LOG: \"$LOG\""
	}
	if s.isolation != "" {
		subject += "  isolation: {" + s.platform + ": " + s.isolation + "}\n"
	}
	if s.setup != "" {
		subject += "  setup: [./subject, prepare, " + s.setup + "]\n"
	}
	return strings.NewReplacer("ENV", env, "SUBJECT\n", subject, "PLATFORM", s.platform,
		"ITERATIONS", strconv.Itoa(s.iterations)).Replace(steadyStudy)
}

// home makes a home with the study in it.
func (s shape) home(t *testing.T) *home {
	t.Helper()
	if s.platform == "container" {
		needEngine(t)
	}
	h := newHome(t)
	h.write(t, s.study())
	return h
}

// beginArgs start a campaign; resumeArgs go on with it.
func beginArgs() []string {
	return []string{"measure", "study", "--seed", "7", "--results", "results", "--progress", "none", "--format", "json"}
}

// beginArgs start the shape's campaign.
func (s shape) beginArgs() []string {
	return append(beginArgs(), "--jobs", strconv.Itoa(max(1, s.jobs)))
}

func resumeArgs(folder string) []string {
	return []string{"measure", "--resume", folder, "--progress", "none", "--format", "json"}
}

// TestUndisturbed is the control of the suite: without a fault the campaign is complete, resuming it runs nothing, and
// nothing is left. A campaign in containers takes its time; the short form meets it where it is killed.
func TestUndisturbed(t *testing.T) {
	t.Parallel()
	shapes := []shape{native}
	if long() {
		shapes = append(shapes, busy, warm, fresh)
	}
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			const kind = "no fault"
			shared.score.point(t, kind)
			h := s.home(t)
			begun := time.Now()
			table := stable(t, h.failrate(t, 0, s.beginArgs()...))
			shared.score.took(kind, time.Since(begun))
			if again := stable(t, h.failrate(t, 0, resumeArgs(h.folders()[0])...)); again != table {
				t.Errorf("resumed when it is complete, the campaign's table is\n%s\nand was\n%s", again, table)
			}
			ended := map[string]int{}
			for _, r := range records(t, h.journal()) {
				if r.Type == "finished" {
					ended[r.trial()]++
				}
			}
			for trial, n := range ended {
				if n != 1 {
					t.Errorf("%s ended %d times", trial, n)
				}
			}
			if len(ended) != s.trials() {
				t.Errorf("%d trials ended, and %d are planned\n%s", len(ended), s.trials(), table)
			}
		})
	}
}
