package stats

// boschlooStaircase is the largest set of outcomes, in the order of Fisher's one-sided
// p-value, whose probability is at most limit whatever the common rate. Boschloo's
// one-sided p-value is at most limit for exactly the outcomes in it.
func boschlooStaircase(n1, n2 int, limit float64) staircase {
	set := fisherStaircase(n1, n2, limit)
	g := newGrowth(n1, n2, limit)
	g.start(set)
	order := make(corners, n1+1)
	for {
		next := order.mostExtreme(set)
		if len(next) == 0 || !g.fits(set, next) {
			return set
		}
		for _, x1 := range next {
			set.from[x1]--
			order[x1] = 0
		}
	}
}

// corners remembers, per x1, the one-sided Fisher p-value of the outcome just outside a
// set; 0 means not yet computed.
type corners []float64

// mostExtreme is the outcomes just outside the set that have the smallest p-value, ties
// together, named by their x1 (their x2 is from[x1]-1).
func (c corners) mostExtreme(s staircase) []int {
	best := 1.0
	var group []int
	for x1, from := range s.from {
		x2 := int(from) - 1
		// Only a corner can be next: at the same x2 a smaller x1 is more extreme.
		if x2 < 0 || (x1 > 0 && s.from[x1-1] == from) {
			continue
		}
		if c[x1] == 0 {
			h := hypergeometric{float64(s.n1), float64(s.n2), float64(x1 + x2)}
			c[x1] = h.atMost(float64(x1))
		}
		switch {
		case c[x1] < best*(1-tieTolerance):
			best, group = c[x1], append(group[:0], x1)
		case c[x1] <= best*(1+tieTolerance):
			group = append(group, x1)
		}
	}
	if best >= 1 {
		return nil
	}
	return group
}

// growth holds the probability of a growing set at every rate of a grid.
type growth struct {
	limit float64
	arms  *binomialArms
	grid  []float64
	p1    [][]float64 // binomial probabilities of the first arm, per rate
	p2    [][]float64
	sums  []float64
}

func newGrowth(n1, n2 int, limit float64) *growth {
	g := &growth{limit: limit, arms: newBinomialArms(n1, n2, limit), grid: rateGrid(max(n1, n2))}
	for _, rate := range g.grid {
		g.p1 = append(g.p1, g.arms.r1.row(rate))
		g.p2 = append(g.p2, g.arms.r2.row(rate))
	}
	g.sums = make([]float64, len(g.grid))
	return g
}

func (g *growth) start(s staircase) {
	for i, rate := range g.grid {
		g.sums[i] = g.arms.prob(s, rate)
	}
}

// fits adds the outcomes to the sums when the set stays within the limit with them.
// Between grid points the probability can be a few parts in a thousand higher, so close
// to the limit the supremum itself decides.
func (g *growth) fits(s staircase, next []int) bool {
	sums, highest := make([]float64, len(g.sums)), 0.0
	for i := range sums {
		sums[i] = g.sums[i]
		for _, x1 := range next {
			sums[i] += g.p1[i][x1] * g.p2[i][s.from[x1]-1]
		}
		highest = max(highest, sums[i])
	}
	if highest > g.limit {
		return false
	}
	if highest > 0.995*g.limit {
		grown := staircase{n1: s.n1, n2: s.n2, from: append([]int32(nil), s.from...)}
		for _, x1 := range next {
			grown.from[x1]--
		}
		if g.arms.supremum(grown) > g.limit*(1+tieTolerance) {
			return false
		}
	}
	g.sums = sums
	return true
}
