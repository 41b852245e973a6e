package reports

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/failrate/failrate/harness/journal"
	"github.com/failrate/failrate/stats"
)

// sideBySide makes one table of several campaigns of one study. Every campaign keeps its own strata, verdicts and
// intervals: nothing is added up. With Options.Pool each variant's effect over the campaigns stands beside them.
func sideBySide(tables []*Table, o Options) (*Table, error) {
	if len(tables) == 1 {
		return tables[0], nil
	}
	out := *tables[0]
	out.Strata, out.Verdicts, out.Footnotes, out.Partial, out.Sources, out.Repeat = nil, nil, nil, nil, nil, nil
	for _, t := range tables {
		if t.Study != out.Study {
			return nil, &journal.DiffersError{
				Differences: []journal.Difference{{What: "the study", Here: out.Study, There: t.Study}}, Way: "report each study by itself",
			}
		}
		out.append(t)
	}
	out.Level = slices.MinFunc(tables, func(a, b *Table) int { return cmp.Compare(a.Level, b.Level) }).Level
	out.note(nil, fmt.Sprintf("%d campaigns side by side: each is compared with its own baseline only", len(tables)))
	if o.Pool {
		return &out, out.pool()
	}
	return &out, nil
}

// append adds a campaign's table, with its footnotes numbered on.
func (t *Table) append(from *Table) {
	id := from.Sources[0].Campaign
	var numbers []int // of from's footnotes in t
	for _, text := range from.Footnotes {
		var c Cell
		t.note(&c, text)
		numbers = append(numbers, c.Notes[0])
	}
	for _, s := range from.Strata {
		s.Campaign = id
		s.ID += ", campaign " + id
		s.Cells = slices.Clone(s.Cells)
		for i := range s.Cells {
			notes := make([]int, len(s.Cells[i].Notes))
			for k, n := range s.Cells[i].Notes {
				notes[k] = numbers[n-1]
			}
			s.Cells[i].Notes = notes
		}
		t.Strata = append(t.Strata, s)
	}
	for _, v := range from.Verdicts {
		t.Verdicts = append(t.Verdicts, "campaign "+name(id)+": "+v)
	}
	for _, p := range from.Partial {
		t.Partial = append(t.Partial, "campaign "+name(id)+": "+p)
	}
	t.Complete = t.Complete && from.Complete
	t.Sources = append(t.Sources, from.Sources...)
	t.Campaigns = append(t.Campaigns, Campaign{
		ID: id, Seed: from.Plan.Seed, PlanDigest: from.PlanDigest, Iterations: from.Plan.Iterations, Design: from.Design, Repeat: from.Repeat,
	})
}

// place is where campaigns may be compared: a variant in a stratum.
type place struct{ stratum, variant string }

// pool compares every variant with the baseline within each campaign, and gives the effect over all of them by Mantel
// and Haenszel. A variant that only one campaign measured is left as it is.
func (t *Table) pool() error {
	found := map[place][]stats.Stratum{}
	var order []place
	for _, s := range t.Strata {
		base := slices.IndexFunc(s.Cells, func(c Cell) bool { return c.Baseline && c.Rate.N > 0 })
		for _, c := range s.Cells {
			if base < 0 || c.Baseline || c.Control || c.Rate.N == 0 {
				continue
			}
			p := place{stratum: s.ID[:len(s.ID)-len(", campaign "+s.Campaign)], variant: c.Variant}
			if found[p] == nil {
				order = append(order, p)
			}
			found[p] = append(found[p], stats.Stratum{Name: s.ID, Base: effective(s.Cells[base]), Variant: effective(c)})
		}
	}
	for _, p := range order {
		if len(found[p]) < 2 {
			continue
		}
		effect, err := stats.MantelHaenszel(found[p], t.Level)
		if err != nil {
			return fmt.Errorf("%s in %s: %w", p.variant, p.stratum, err)
		}
		var c Cell
		for _, w := range effect.Warnings {
			t.note(&c, fmt.Sprintf("%s in %s, pooled: %s", name(p.variant), name(p.stratum), w.Sentence()))
		}
		t.Pooled = append(t.Pooled, Pooled{Variant: p.variant, Stratum: p.stratum, Campaigns: len(found[p]), Effect: effect, Notes: c.Notes})
	}
	return nil
}

// effective is a cell's count, scaled down to independent rounds when its rounds are clustered.
func effective(c Cell) stats.Count {
	if c.Clustered == nil || c.Clustered.DesignEffect <= 1 {
		return c.Rate
	}
	n := max(1, int64(c.Clustered.EffectiveN))
	return stats.Count{K: min(n, int64(float64(n)*c.Rate.Rate()+0.5)), N: n}
}
