package campaign

import (
	"fmt"
	"strings"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/harness/plan"
	"github.com/failrate/failrate/stats"
)

// Width is the Looker of --until width: a cell is dropped when its rate is known to the width asked for, and the
// campaign stops when every cell is.
type Width struct {
	rule  stats.WidthRule
	plan  *plan.Plan
	cells map[string]*widthCell
	open  int // cells that go on
	err   error
}

type widthCell struct {
	count stats.Count
	last  *stats.WidthLook
	done  bool
}

// NewWidth makes the rule for every cell that is not a control.
func NewWidth(p *plan.Plan, rule stats.WidthRule) *Width {
	w := &Width{rule: rule, plan: p, cells: map[string]*widthCell{}}
	for _, c := range p.Cells() {
		if !c.Control {
			w.cells[c.ID()] = &widthCell{}
			w.open++
		}
	}
	return w
}

// Add counts a trial.
func (w *Width) Add(t plan.Trial, j classify.Judgement) {
	if c := w.cells[t.Cell.ID()]; c != nil && j.Outcome.InRate() {
		c.count = counted(c.count, j.Outcome)
	}
}

// Look asks the rule about each cell of the block.
func (w *Width) Look(b plan.Block) Decision {
	d := Decision{Data: map[string]string{}}
	var said []string
	for _, cell := range w.plan.Strata[b.Stratum].Cells {
		id := cell.ID()
		c := w.cells[id]
		if c.done || c.count.N == 0 {
			continue
		}
		look, err := w.rule.Look(c.count)
		if err != nil {
			w.err = err
			continue
		}
		c.last = &look
		if look.Decision == stats.DecisionContinue {
			continue
		}
		c.done = true
		w.open--
		d.Drop, d.Data[id] = append(d.Drop, id), encode(look)
		said = append(said, fmt.Sprintf("%s: known to the width after %d trials", id, c.count.N))
	}
	d.Stop, d.Reason = w.open == 0, strings.Join(said, "; ")
	return d
}

// Last gives the latest look at every cell, as JSON.
func (w *Width) Last() map[string]string {
	out := map[string]string{}
	for id, c := range w.cells {
		if c.last != nil {
			out[id] = encode(*c.last)
		}
	}
	return out
}

// Err is what went wrong at a look; nil when nothing did.
func (w *Width) Err() error { return w.err }
