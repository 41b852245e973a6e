package stats

import (
	"math"
	"sort"
)

// binomialArms computes probabilities of staircases for two independent arms. It owns
// its scratch space, so one value serves one goroutine.
type binomialArms struct {
	n1, n2 int
	size   float64 // about how large the probabilities are
	cut    float64 // probabilities below it are left out of every sum
	r1, r2 ratioTable
	p1, p2 []float64
}

// newBinomialArms prepares for probabilities of about the given size: what is left out
// is smaller by a factor of 10¹⁴ or more.
func newBinomialArms(n1, n2 int, size float64) *binomialArms {
	a := &binomialArms{n1: n1, n2: n2, size: size, cut: size * 1e-17, r1: ratios(n1), p1: make([]float64, n1+1)}
	a.r2, a.p2 = a.r1, a.p1
	if n2 != n1 {
		a.r2 = ratios(n2)
	}
	a.p2 = make([]float64, n2+1)
	return a
}

// prob is the probability of the set when both arms have the given rate.
func (a *binomialArms) prob(s staircase, rate float64) float64 {
	return a.probAt(s, rate, rate)
}

// probAt is the probability of the set when the arms have the two given rates.
func (a *binomialArms) probAt(s staircase, rate1, rate2 float64) float64 {
	low1, high1 := a.r1.fill(a.p1, rate1, a.cut)
	p2, low2, high2 := a.p1, low1, high1
	if a.n2 != a.n1 || rate2 != rate1 {
		p2 = a.p2
		low2, high2 = a.r2.fill(p2, rate2, a.cut)
	}
	// from never falls, so the upper tail of the second arm is summed once, downwards.
	// Rows whose part of the set lies beyond the second arm's range add nothing.
	sum, tail, next := 0.0, 0.0, high2
	beyond := sort.Search(len(s.from), func(x1 int) bool { return int(s.from[x1]) > high2 })
	for x1 := min(high1, beyond-1); x1 >= low1; x1-- {
		for from := max(int(s.from[x1]), low2); next >= from; next-- {
			tail += p2[next]
		}
		sum += a.p1[x1] * tail
	}
	return sum
}

// supremum is the largest probability of the set over all common rates. The grid, which
// only has to show where the peaks are, is computed to eight digits. With equal arms a
// set in the order of Fisher's p-value is its own mirror image when failures and passes
// change places, so half of the rates will do.
func (a *binomialArms) supremum(s staircase) float64 {
	grid := rateGrid(max(a.n1, a.n2))
	values, peaks := make([]float64, len(grid)), len(grid)
	if a.n1 == a.n2 {
		peaks = (len(grid) + 1) / 2
	}
	fine := a.cut
	a.cut = a.size * 1e-9
	for i, rate := range grid[:peaks] {
		values[i] = a.prob(s, rate)
		if a.n1 == a.n2 {
			values[len(grid)-1-i] = values[i]
		}
	}
	a.cut = fine
	return highestPeak(grid, values, peaks, func(rate float64) float64 { return a.prob(s, rate) })
}

// rateGrid spaces common rates evenly in asin √rate, where a binomial's spread is the
// same everywhere, a fixed number of times per spread; ends excluded.
func rateGrid(n int) []float64 {
	points := int(math.Ceil(math.Pi * math.Sqrt(float64(n)) * gridDensity(n)))
	return evenRates(max(points, 16))
}

// evenRates is that many rates, evenly spaced in asin √rate, ends excluded.
func evenRates(points int) []float64 {
	grid := make([]float64, points)
	for i := range grid {
		s := math.Sin((float64(i) + 0.5) / float64(points) * math.Pi / 2)
		grid[i] = s * s
	}
	return grid
}

// gridDensity is the number of grid points per standard deviation of asin √rate. Large
// arms smooth the probability more, and need fewer.
func gridDensity(n int) float64 {
	switch {
	case n <= 200:
		return 4
	case n <= 2000:
		return 2
	default:
		return 1
	}
}
