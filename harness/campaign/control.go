package campaign

import (
	"fmt"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/harness/plan"
	"github.com/failrate/failrate/harness/study"
)

// controlAlpha is how unlikely a control's count must be under its expected rate before the control has failed.
const controlAlpha = 0.01

// ControlResult is what a control's cell showed against what it must show.
type ControlResult struct {
	Cell   plan.Cell
	Hits   int // failures, or failures of the expected class
	N      int // trials in the rate
	Failed bool
	Reason string // for people, one line; empty when it held
}

// tally counts one control cell.
type tally struct {
	cell   plan.Cell
	expect study.Expect
	hits   int
	n      int
	out    int // excluded
}

func (t *tally) add(j classify.Judgement) {
	if !j.Outcome.InRate() {
		t.out++
		return
	}
	t.n++
	if j.Outcome.Failed() && (t.expect.Class == "" || j.Class == t.expect.Class) {
		t.hits++
	}
}

func (r *runner) tallyFor(c plan.Cell) *tally {
	id := c.ID()
	if r.control[id] == nil {
		t := &tally{cell: c}
		for _, ctl := range r.cfg.Study.Controls {
			if ctl.Name == c.Variant {
				t.expect = ctl.Expect
			}
		}
		r.control[id] = t
	}
	return r.control[id]
}

// controlResults checks every control cell that has run, in plan order.
func (r *runner) controlResults() []ControlResult {
	var out []ControlResult
	for _, c := range r.cfg.Plan.Cells() {
		if t := r.control[c.ID()]; t != nil {
			out = append(out, t.result())
		}
	}
	return out
}

// result compares the count with the bounds by an exact one-sided binomial test: a bound fails when a count as extreme
// as this one has a probability below controlAlpha at the bound. A bound of 0 or 1 fails at the first count against it.
func (t *tally) result() ControlResult {
	res := ControlResult{Cell: t.cell, Hits: t.hits, N: t.n}
	what := "failed"
	if t.expect.Class != "" {
		what = fmt.Sprintf("failed as %s", t.expect.Class)
	}
	switch {
	case t.n == 0:
		res.Failed, res.Reason = true, fmt.Sprintf("control %s: none of its %d trials counts", t.cell.ID(), t.out)
	case atMost(t.hits, t.n, t.expect.AtLeast) < controlAlpha:
		res.Failed = true
		res.Reason = fmt.Sprintf("control %s: %d of %d %s, and at least %g %% must", t.cell.ID(), t.hits, t.n, what, 100*t.expect.AtLeast)
	case atLeast(t.hits, t.n, t.expect.AtMost) < controlAlpha:
		res.Failed = true
		res.Reason = fmt.Sprintf("control %s: %d of %d %s, and at most %g %% may", t.cell.ID(), t.hits, t.n, what, 100*t.expect.AtMost)
	}
	return res
}

// atMost is the probability of at most k hits of n at rate p.
func atMost(k, n int, p float64) float64 {
	switch {
	case p <= 0 || k >= n:
		return 1
	case p >= 1:
		return 0
	}
	return distuv.Binomial{N: float64(n), P: p}.CDF(float64(k))
}

// atLeast is the probability of at least k hits of n at rate p.
func atLeast(k, n int, p float64) float64 { return atMost(n-k, n, 1-p) }
