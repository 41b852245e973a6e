package reports

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/harness/journal"
	"github.com/failrate/failrate/harness/plan"
)

// TestDoubts makes campaigns with one thing wrong each, and one with nothing wrong.
func TestDoubts(t *testing.T) {
	t.Parallel()
	every := func(n int) func(plan.Trial) bool {
		return func(tr plan.Trial) bool {
			return rand.New(rand.NewPCG(uint64(tr.Index), uint64(tr.Number))).IntN(n) == 0
		}
	}
	for name, c := range map[string]struct {
		failed func(plan.Trial) bool
		change func(plan.Trial, *journal.Finished)
		want   string // in a footnote; empty: there is no doubt
	}{
		"sound": {failed: every(5)},
		"drift": {failed: func(tr plan.Trial) bool { return tr.Number > 70 && tr.Number%2 == 0 }, want: "drift"},
		"kernel": {failed: every(5), want: "kernel", change: func(tr plan.Trial, f *journal.Finished) {
			if tr.Number > 50 {
				f.Observation.Facts = map[string]string{"kernel": "6.19"}
			}
		}},
		"exclusions": {failed: every(5), want: "what is excluded may be what fails", change: func(tr plan.Trial, f *journal.Finished) {
			if tr.Cell.Variant == "leaders-only" && tr.Number%3 == 0 {
				f.Judgement.Outcome, f.Judgement.Class = classify.Broken, ""
			}
		}},
	} {
		spec := plainSpec("c1", 7, 100)
		spec.platforms, spec.parameters = []string{"native"}, nil
		spec.outcome = func(tr plan.Trial) journal.Finished {
			f := judged(classify.Pass, "", "", 1)
			if c.failed(tr) {
				f = judged(classify.Fail, "committed", "", 1)
			}
			if c.change != nil {
				c.change(tr, &f)
			}
			return f
		}
		table, err := Read([]string{spec.write(t)})
		if err != nil {
			t.Fatal(err)
		}
		notes := strings.Join(table.Footnotes, "\n")
		if c.want == "" {
			for _, word := range []string{"drift", "kernel", "excluded", "follows", "streak", "machines"} {
				if strings.Contains(notes, word) {
					t.Errorf("%s: %q", name, notes)
				}
			}
		} else if !strings.Contains(notes, c.want) {
			t.Errorf("%s: no footnote says %q: %q", name, c.want, notes)
		}
	}
}

// TestOneBadRunnerIsVisible merges ten shards, of which the eighth fails in 12 of 20 trials and the others in 2 of 20: the
// text, Markdown and HTML forms name it with its counts. Ten alike shards raise no doubt.
func TestOneBadRunnerIsVisible(t *testing.T) {
	t.Parallel()
	for _, bad := range []bool{true, false} {
		root := t.TempDir()
		spec := plainSpec("c1", 7, 200)
		spec.platforms, spec.parameters, spec.variants = []string{"native"}, nil, []string{"baseline", "leaders-only"}
		for k := 1; k <= 10; k++ {
			spec.outcome = func(tr plan.Trial) journal.Finished {
				in := (tr.Number - 1) / 10 % 10 // the shard's trials are 10 apart
				if in == k%10 || bad && k == 8 && in < 5 {
					return judged(classify.Fail, "committed", "", 1)
				}
				return judged(classify.Pass, "", "", 1)
			}
			h := spec.header()
			h.Shard, h.Host.Name = fmt.Sprintf("%d/10", k), fmt.Sprintf("runner-%d", k)
			spec.writeShard(t, filepath.Join(root, fmt.Sprint(k)), h, plan.Shard{Index: k, Of: 10})
		}
		table, err := Read([]string{root})
		if err != nil {
			t.Fatal(err)
		}
		for name, write := range map[string]func(io.Writer, *Table) error{"text": Text, "markdown": Markdown, "html": HTML} {
			text := string(render(t, func(b *bytes.Buffer) error { return write(b, table) }))
			text = strings.NewReplacer(`\"`, `"`, "&#34;", `"`, "\u0022", `"`).Replace(text)
			if got := strings.Contains(text, `"runner-8 8/10" 12 of 20`); got != bad {
				t.Errorf("%s names the bad runner: %v, want %v: %q", name, got, bad, table.Footnotes)
			}
			if got := strings.Contains(text, "the rate differs between machines"); got != bad {
				t.Errorf("%s doubts the machines: %v, want %v: %q", name, got, bad, table.Footnotes)
			}
		}
	}
}

// TestMetricsShift compares a metric of a variant that doubles it.
func TestMetricsShift(t *testing.T) {
	t.Parallel()
	spec := plainSpec("c1", 7, 40)
	spec.platforms, spec.parameters = []string{"native"}, nil
	spec.outcome = func(tr plan.Trial) journal.Finished {
		f := judged(classify.Pass, "", "", tr.Number)
		if tr.Cell.Variant == "old-client" {
			f.Judgement.Metrics["delay_us"] += 100
		}
		return f
	}
	table, err := Read([]string{spec.write(t)})
	if err != nil {
		t.Fatal(err)
	}
	cells := table.Strata[0].Cells
	if m := cells[0].Metrics[0]; m.Name != "delay_us" || m.Median != 20.5 || m.Low != 14 || m.High != 27 || m.Shift != nil { // ranks 14 and 27 of 40 by Binomial(40, 1/2)
		t.Errorf("the baseline's metric is %+v", m)
	}
	if s := cells[1].Metrics[0].Shift; s == nil || s.Estimate != 0 || s.P < 0.9 {
		t.Errorf("the same metric is shifted by %+v", s)
	}
	if s := cells[2].Metrics[0].Shift; s == nil || s.Estimate != 100 || !(s.Low > 90 && s.High < 110) || s.P > 1e-9 || math.IsNaN(s.P) {
		t.Errorf("a metric 100 higher is shifted by %+v", s)
	}
}
