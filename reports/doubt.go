package reports

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/stats"
)

// maxValues bounds the values of one fact that are told apart in a cell: more of them are no fact but a measurement.
const maxValues = 12

// doubt adds a footnote for every reason not to believe that the trials of a cell are independent and alike. Each check
// gives a false alarm in one cell of a hundred; facts that vary are always told.
func (t *Table) doubt(c *Cell, tl *tally) {
	var failed []bool
	var passed, lost []float64 // durations by outcome
	machines := map[int32]stats.Count{}
	for _, p := range tl.series { // in the order of blocks, which is that of starting
		if !p.outcome.InRate() {
			continue
		}
		failed = append(failed, p.outcome.Failed())
		one := stats.Count{N: 1}
		if p.outcome.Failed() {
			one.K = 1
		}
		machines[p.source] = machines[p.source].Add(one)
		switch p.outcome {
		case classify.Pass:
			passed = append(passed, float64(p.wall))
		case classify.Fail:
			lost = append(lost, float64(p.wall))
		case classify.Timeout, classify.Unexercised, classify.Broken, classify.Censored, classify.Lost: // ended by us, or not in the rate
		}
	}
	add := func(w stats.Warning, fires bool) {
		if fires {
			t.warn(c, w)
		}
	}
	add(stats.Runs(name(c.ID), failed, 0))
	add(stats.Trend(name(c.ID), failed, 0))
	if len(passed) > 0 && len(lost) > 0 {
		add(stats.Duration(name(c.ID), passed, lost, 0))
	}
	if len(machines) > 1 {
		add(stats.Shards(name(c.ID), t.machineParts(machines), 0))
	}
	for _, fact := range slices.Sorted(maps.Keys(tl.facts)) {
		if values := tl.facts[fact]; len(values) > 1 && len(values) <= maxValues {
			add(stats.FactVaries(name(c.ID), name(fact), parts(values)))
		}
	}
}

func (t *Table) machineParts(counts map[int32]stats.Count) []stats.Part {
	var out []stats.Part
	for _, i := range slices.Sorted(maps.Keys(counts)) {
		s := t.Sources[i]
		label := name(s.Host.Name)
		if s.Shard != "" {
			label += " " + s.Shard
		}
		out = append(out, stats.Part{Name: label, Count: counts[i]})
	}
	return out
}

func parts(values map[string]stats.Count) []stats.Part {
	var out []stats.Part
	for _, v := range slices.Sorted(maps.Keys(values)) {
		out = append(out, stats.Part{Name: name(v), Count: values[v]})
	}
	return out
}

// doubtPair adds a footnote when a variant lost another share of its trials than the baseline.
func (t *Table) doubtPair(c *Cell, base Cell) {
	if w, fires := stats.UnequalExclusion(exclusion(base), exclusion(*c), 0); fires {
		t.warn(c, w)
	}
}

func exclusion(c Cell) stats.Exclusion {
	out := int64(c.Counts.Excluded())
	return stats.Exclusion{Name: name(c.Variant), Excluded: stats.Count{K: out, N: out + c.Counts.Rate().N}}
}

// doubtOrder adds a footnote for every machine on which a trial depends on the one before it, whatever its cell.
func (b *Builder) doubtOrder(t *Table) {
	type started struct {
		at int64
		stats.Ordered
	}
	by := make([][]started, len(b.sources))
	for k, tl := range b.tallies {
		id := b.cells[k.cell].ID()
		for _, p := range tl.series {
			if p.outcome.InRate() && p.at != 0 {
				by[p.source] = append(by[p.source], started{p.at, stats.Ordered{Cell: id, Failed: p.outcome.Failed()}})
			}
		}
	}
	for i, trials := range by {
		slices.SortFunc(trials, func(a, b started) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.Cell, b.Cell)) })
		order := make([]stats.Ordered, len(trials))
		for k, s := range trials {
			order[k] = s.Ordered
		}
		if w, fires := stats.Lag(order, 0); fires {
			w.Facts = fmt.Sprintf("on %s: %s", name(b.sources[i].Host.Name), w.Facts)
			t.warn(nil, w)
		}
	}
}
