package reports

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/failrate/failrate/harness/journal"
	"github.com/failrate/failrate/stats"
)

// A campaign that may stop early needs other numbers than one of a fixed size: an interval or a p-value that is right
// for a fixed number of trials is wrong for a number that the data chose. This file puts the valid ones in their place.

// sequential reports whether the table's design looks at the data before the plan's end.
func (t *Table) sequential() bool { return t.Design != "" && t.Design != string(stats.DesignFixed) }

// takeLooks keeps the latest look at each cell that the journals have on record.
func (b *Builder) takeLooks(notes []journal.Note) {
	for _, n := range notes {
		if n.Kind != journal.NoteLook {
			continue
		}
		for cell, look := range n.Data {
			b.looks[cell] = look
		}
	}
}

// valid is the interval of a rate under the table's design.
func (t *Table) valid(c stats.Count) (stats.Interval, error) {
	if t.sequential() {
		return stats.ConfidenceSequence(c, t.Level)
	}
	return stats.Wilson(c, t.Level)
}

// compareSequential gives each variant the comparison that the design made at its latest look. A variant that was never
// looked at gets none.
func (t *Table) compareSequential(s *Stratum, looks map[string]string) error {
	base := -1
	for i, c := range s.Cells {
		if c.Baseline {
			base = i
		}
	}
	for i := range s.Cells {
		c := &s.Cells[i]
		if base < 0 || c.Baseline || c.Control {
			continue
		}
		text, ok := looks[c.ID]
		if !ok || strings.HasPrefix(t.Design, "width:") {
			t.note(c, fmt.Sprintf("%s: design %s made no comparison", name(c.ID), t.Design))
			continue
		}
		var l stats.Look
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			return fmt.Errorf("the look at %s on record: %w", c.ID, err)
		}
		c.BaseRate = l.Base.Rate()
		c.Comparison = &stats.Comparison{
			Variant: c.Variant, P: l.P, Family: l.Family, Evidence: l.Evidence, BaseRate: l.BaseRate, Ratio: l.Ratio,
			Verdict: l.Verdict, Reason: l.Reason, Further: l.Further,
		}
		if l.Variant == c.Rate && l.Rate.Level > 0 {
			c.Interval = l.Rate
		}
		t.Verdicts = append(t.Verdicts, verdictSentence(s, s.Cells[base], *c))
		t.note(c, fmt.Sprintf("%s: design %s, look %d at %d pairs of trials: %s; its intervals and p-value are valid although the campaign could have stopped at any look",
			name(c.ID), t.Design, l.Number, l.Variant.N, l.Decision))
	}
	return nil
}
