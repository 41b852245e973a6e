package campaign

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/harness/plan"
	"github.com/failrate/failrate/stats"
)

// sequentialDesign is one comparison that is looked at as it grows: *stats.GroupSequential or *stats.Anytime.
type sequentialDesign interface {
	Next() int
	Look(base, variant stats.Count) (stats.Look, error)
}

// Sequential is the Looker of --until verdict: it stops a comparison when its design says so, drops the variant, and
// stops the campaign when every comparison of every stratum has stopped. Only blocks in which both trials count are
// fed, in the order of their numbers, which is the order in which trials start.
type Sequential struct {
	plan        *plan.Plan
	comparisons [][]*comparison             // by stratum
	outcomes    map[string]classify.Outcome // by cell, of the block that runs
	err         error
}

// comparison is one variant against its baseline in one stratum.
type comparison struct {
	base, variant string // cell ids
	design        sequentialDesign
	baseCount     stats.Count
	count         stats.Count
	stopped       bool
	last          *stats.Look // nil before the first look
}

// NewSequential makes the designs, one a variant and stratum. The family for the error rate is the stratum's variants.
func NewSequential(p *plan.Plan, design stats.Design, r stats.SequentialRequest) (*Sequential, error) {
	s := &Sequential{plan: p, outcomes: map[string]classify.Outcome{}}
	for _, st := range p.Strata {
		r.Family = max(1, len(st.Cells)-1)
		if r.MaxPerArm == 0 && r.Tell == nil {
			r.MaxPerArm = p.Iterations
		}
		var row []*comparison
		base := ""
		for _, c := range st.Cells {
			if c.Variant == p.Baseline {
				base = c.ID()
			}
		}
		for _, c := range st.Cells {
			if c.Variant == p.Baseline {
				continue
			}
			d, err := newDesign(design, r)
			if err != nil {
				return nil, err
			}
			row = append(row, &comparison{base: base, variant: c.ID(), design: d})
		}
		s.comparisons = append(s.comparisons, row)
	}
	return s, nil
}

// anytime looks after every block.
type anytime struct{ *stats.Anytime }

// Next is 0: any number of trials will do.
func (anytime) Next() int { return 0 }

func newDesign(design stats.Design, r stats.SequentialRequest) (sequentialDesign, error) {
	switch design {
	case stats.DesignGroupSequential:
		return stats.NewGroupSequential(r)
	case stats.DesignAnytime:
		d, err := stats.NewAnytime(r)
		return anytime{d}, err
	case stats.DesignFixed:
	}
	return nil, fmt.Errorf("design %q does not stop early: use %q or %q", design, stats.DesignGroupSequential, stats.DesignAnytime)
}

// Add takes the outcome of a trial of the block that runs.
func (s *Sequential) Add(t plan.Trial, j classify.Judgement) {
	if !t.Cell.Control {
		s.outcomes[t.Cell.ID()] = j.Outcome
	}
}

// Look feeds the block to the stratum's comparisons. What each says rides on the decision as JSON, by cell, so that
// the table can show the numbers that are valid under the design.
func (s *Sequential) Look(b plan.Block) Decision {
	d := Decision{Data: map[string]string{}}
	var said []string
	for _, c := range s.comparisons[b.Stratum] {
		look, looked := s.feed(c)
		if !looked {
			continue
		}
		if look.Decision == stats.DecisionContinue {
			continue
		}
		d.Data[c.variant] = encode(look)
		d.Drop = append(d.Drop, c.variant)
		said = append(said, fmt.Sprintf("%s: %s after %d blocks (%s)", c.variant, look.Decision, c.count.N, look.Verdict))
	}
	clear(s.outcomes)
	if s.all(b.Stratum) && len(s.comparisons[b.Stratum]) > 0 {
		d.Drop = append(d.Drop, s.comparisons[b.Stratum][0].base)
	}
	d.Stop = s.done()
	d.Reason = strings.Join(said, "; ")
	return d
}

// feed adds the block's pair to a comparison, and looks when it is time.
func (s *Sequential) feed(c *comparison) (stats.Look, bool) {
	base, okBase := s.outcomes[c.base]
	variant, okVariant := s.outcomes[c.variant]
	if c.stopped || !okBase || !okVariant || !base.InRate() || !variant.InRate() {
		return stats.Look{}, false
	}
	c.baseCount = counted(c.baseCount, base)
	c.count = counted(c.count, variant)
	if int(c.count.N) < c.design.Next() {
		return stats.Look{}, false
	}
	look, err := c.design.Look(c.baseCount, c.count)
	if err != nil {
		s.err = err
		return stats.Look{}, false
	}
	c.stopped, c.last = look.Decision != stats.DecisionContinue, &look
	return look, true
}

func counted(c stats.Count, o classify.Outcome) stats.Count {
	c.N++
	if o.Failed() {
		c.K++
	}
	return c
}

func (s *Sequential) all(stratum int) bool {
	for _, c := range s.comparisons[stratum] {
		if !c.stopped {
			return false
		}
	}
	return true
}

func (s *Sequential) done() bool {
	any := false
	for i := range s.comparisons {
		any = any || len(s.comparisons[i]) > 0
		if !s.all(i) {
			return false
		}
	}
	return any
}

// Last gives the latest look of every comparison that was looked at, as JSON, by the variant's cell.
func (s *Sequential) Last() map[string]string {
	out := map[string]string{}
	for _, row := range s.comparisons {
		for _, c := range row {
			if c.last != nil {
				out[c.variant] = encode(*c.last)
			}
		}
	}
	return out
}

// encode writes a look as JSON: it holds only numbers and words.
func encode(look any) string {
	text, err := json.Marshal(look)
	if err != nil {
		return fmt.Sprintf("%q", err)
	}
	return string(text)
}

// Err is what went wrong at a look; nil when nothing did.
func (s *Sequential) Err() error { return s.err }
