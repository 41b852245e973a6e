package stats

import "fmt"

// Ordered is one trial in the order of starting, over all cells that share a machine.
type Ordered struct {
	Cell   string
	Failed bool
}

// Lag doubts that a trial is independent of the one that ran just before it, whatever the
// cell of that one: left-over files, ports or load. Within each cell it compares the
// rate after a failure with the rate after a pass, and pools the cells as Mantel and
// Haenszel do, so that cells with different rates raise no alarm. The p-value is exact
// given the margins of each cell, while all cells hold at most 2000 failures.
func Lag(trials []Ordered, alpha float64) (Warning, bool) {
	after := map[string]*[2]Count{} // cell → rate after a pass, after a failure
	var order []string
	for i := 1; i < len(trials); i++ {
		t := trials[i]
		if after[t.Cell] == nil {
			after[t.Cell] = &[2]Count{}
			order = append(order, t.Cell)
		}
		c := &after[t.Cell][int(indicator(trials[i-1].Failed))]
		c.N++
		if t.Failed {
			c.K++
		}
	}
	var tables []fourfold
	var pooled [2]Count
	for _, cell := range order {
		pair := after[cell]
		pooled[0], pooled[1] = pooled[0].Add(pair[0]), pooled[1].Add(pair[1])
		if pair[0].N > 0 && pair[1].N > 0 {
			tables = append(tables, newFourfold(Stratum{Base: pair[0], Variant: pair[1]}))
		}
	}
	p := pooledExactP(tables)
	return raise(WarnLag, p, alpha, func() (facts, advice string) {
		return fmt.Sprintf("a trial that follows a failure fails in %s of cases, one that follows a pass in %s (p %.2g, cells compared within themselves)",
			Percent(pooled[1].Rate()), Percent(pooled[0].Rate()), p), "something is left over between trials; clean up or isolate them"
	})
}

// mostPooled bounds the failures for which the exact distribution is convolved.
const mostPooled = 2000

// pooledExactP is the two-sided p-value that no table has an effect: the failures of the
// variants of all tables add up hypergeometric counts, whose distributions are convolved;
// the smaller tail is doubled (the exact test of R's mantelhaen.test has the same
// distribution). It is 1 without tables.
func pooledExactP(tables []fourfold) float64 {
	var fails, observed float64
	for _, f := range tables {
		fails, observed = fails+f.a+f.c, observed+f.a
	}
	switch {
	case len(tables) == 0:
		return 1
	case fails > mostPooled:
		return cochranMantelHaenszel(tables)
	}
	sum, lowest := []float64{1}, 0.0
	for _, f := range tables {
		h := hypergeometric{n1: f.n1, n2: f.n0, total: f.a + f.c}
		lowest += h.min()
		next := make([]float64, len(sum)+int(h.max()-h.min()))
		p := h.prob(h.min())
		for x := h.min(); x <= h.max(); x++ {
			for i, v := range sum {
				next[i+int(x-h.min())] += v * p
			}
			p *= h.up(x)
		}
		sum = next
	}
	below, above := 0.0, 0.0
	for i, v := range sum {
		x := lowest + float64(i)
		if x <= observed {
			below += v
		}
		if x >= observed {
			above += v
		}
	}
	return min(1, 2*min(below, above))
}
