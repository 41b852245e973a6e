package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// soakStudy does nothing, very often.
const soakStudy = `study: soak
subject:
  dir: tree
  image: {name: scratch}
  command: [./subject, nothing]
  env: {FAULTS_MARK: $MARK}
  isolation: {container: ISOLATION}
baseline: a
variants: {a: {}, b: {env: {OTHER: "1"}}}
platforms: [PLATFORM]
stress: {none: {}}
iterations: ITERATIONS
`

// sample is what a harness holds at one time.
type sample struct{ rss, files, threads int } // rss in KiB

// TestSoak runs one long campaign of each kind (only with FAULTS=long: 100,000 native trials and 5,000 in containers) and
// looks at what the harness holds: memory, files and threads at its end are those of when it had warmed up.
func TestSoak(t *testing.T) {
	t.Parallel()
	for _, soak := range []struct {
		shape
		trials int
	}{{native, 100_000}, {warm, 4_500}, {fresh, 500}} {
		trials := soak.trials
		if !long() {
			if trials = trials / 100; soak.name == fresh.name {
				continue // five trials show nothing that the others do not
			}
		}
		t.Run(soak.name, func(t *testing.T) {
			t.Parallel()
			kind := fmt.Sprintf("soak of %d trials, %s", trials, soak.name)
			shared.score.point(t, kind)
			if soak.platform == "container" {
				needEngine(t)
			}
			h := newHome(t)
			isolation := soak.isolation
			if isolation == "" {
				isolation = "fresh"
			}
			h.write(t, strings.NewReplacer("ISOLATION", isolation, "PLATFORM", soak.platform, "ITERATIONS", strconv.Itoa(trials/2)).Replace(soakStudy))
			begun := time.Now()
			r := h.start(t, beginArgs()...)
			var samples []sample
			for !r.endsWithin(100 * time.Millisecond) {
				if s, ok := holds(r.cmd.Process.Pid); ok {
					samples = append(samples, s)
				}
				if time.Since(begun) > time.Hour {
					t.Fatal("it does not end")
				}
			}
			if status := r.wait(t, patience); status != 0 {
				t.Fatalf("exit status %d\n%s", status, r.stderr.String())
			}
			shared.score.took(kind, time.Since(begun))
			if table := stable(t, r.stdout.String()); strings.Count(table, fmt.Sprintf(`"pass": %d`, trials/2)) != 2 {
				t.Errorf("not every trial is a pass:\n%s", table)
			}
			if long() {
				unchanged(t, samples)
			}
		})
	}
}

// unchanged compares the last tenth of the samples with the second.
func unchanged(t *testing.T, samples []sample) {
	t.Helper()
	tenth := len(samples) / 10
	if tenth == 0 {
		t.Fatalf("%d samples are too few", len(samples))
	}
	early, late := middle(samples[tenth:2*tenth]), middle(samples[9*tenth:])
	t.Logf("of %d samples: early %+v, late %+v", len(samples), early, late)
	if late.rss > early.rss+10<<10 || late.files > early.files+3 || late.threads > early.threads+5 {
		t.Errorf("what the harness holds grew from %+v to %+v", early, late)
	}
}

// middle is the median of each number.
func middle(samples []sample) sample {
	of := func(get func(sample) int) int {
		var v []int
		for _, s := range samples {
			v = append(v, get(s))
		}
		slices.Sort(v)
		return v[len(v)/2]
	}
	return sample{of(func(s sample) int { return s.rss }), of(func(s sample) int { return s.files }), of(func(s sample) int { return s.threads })}
}

// holds reads what a process holds; false when it is gone.
func holds(pid int) (s sample, ok bool) {
	dir := fmt.Sprintf("/proc/%d", pid)
	text, err := os.ReadFile(filepath.Join(dir, "status"))
	if err != nil {
		return s, false
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(value), " kB"))
		switch {
		case err != nil:
		case name == "VmRSS":
			s.rss = n
		case name == "Threads":
			s.threads = n
		}
	}
	files, err := os.ReadDir(filepath.Join(dir, "fd"))
	s.files = len(files)
	return s, err == nil && s.rss > 0
}
