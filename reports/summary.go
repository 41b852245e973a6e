package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/failrate/failrate/stats"
)

// mostSentences is the number of verdict sentences up to which a terminal shows each one.
const mostSentences = 6

// verdictLines are the verdicts for a terminal: the sentences that get quoted while they are few or of one stratum, else
// one line for each variant and verdict, with the counts of every stratum in the order of the tables.
func verdictLines(t *Table, sentences []string) []string {
	if len(sentences) <= mostSentences || len(t.Strata) == 1 {
		return sentences
	}
	type group struct {
		variant string
		verdict stats.Verdict
	}
	var order []group
	counts, further := map[group][]string{}, map[group]int64{}
	for _, s := range t.Strata {
		base := s.baseline()
		for _, c := range s.Cells {
			if c.Comparison == nil {
				continue
			}
			g := group{c.Variant, c.Comparison.Verdict}
			if !slices.Contains(order, g) {
				order = append(order, g)
			}
			counts[g] = append(counts[g], fmt.Sprintf("%d/%d against %d/%d", c.Rate.K, c.Rate.N, base.K, base.N))
			if f := c.Comparison.Further; f != nil {
				further[g] = max(further[g], furtherTrials(c, f.PerArm))
			}
		}
	}
	slices.SortStableFunc(order, func(a, b group) int { return t.place(a.variant) - t.place(b.variant) })
	var lines []string
	for _, g := range order {
		in := fmt.Sprintf("%d of %d strata", len(counts[g]), len(t.Strata))
		if len(counts[g]) == len(t.Strata) {
			in = fmt.Sprintf("all %d strata", len(t.Strata))
		}
		line := fmt.Sprintf("%s: %s in %s (%s)", name(g.variant), g.verdict, in, strings.Join(counts[g], ", "))
		if n := further[g]; n > 0 {
			line += fmt.Sprintf("; up to %d more trials per variant would settle it", n)
		}
		lines = append(lines, line)
	}
	return append(lines, "The sentences to quote, with what decided each: failrate report --format markdown")
}

// place is a variant's first position in the tables.
func (t *Table) place(variant string) int {
	at := 0
	for _, s := range t.Strata {
		for _, c := range s.Cells {
			if c.Variant == variant {
				return at
			}
			at++
		}
	}
	return at
}

// baseline is the count that a stratum's variants are compared with.
func (s Stratum) baseline() stats.Count {
	for _, c := range s.Cells {
		if c.Baseline {
			return c.Rate
		}
	}
	return stats.Count{}
}
