package stats

import "math"

// simultaneousTail is the nominal two-sided tail of Clopper–Pearson intervals that are
// shown at every look: together, over all looks, they miss the true rate with at most the
// given probability, whatever the rate and whatever makes the campaign stop (repeated
// confidence intervals, Jennison and Turnbull 1989, Journal of the Royal Statistical
// Society B 51, 305–361; here by exact enumeration of one arm on a grid of rates).
func simultaneousTail(looks []int, miss float64) float64 {
	most := looks[len(looks)-1]
	arm := newOneArm(looks)
	coarse := lowerHalf(rateGrid(max(100, most)))
	// The share of the tail that Bonferroni would give is always small enough.
	bonferroni := miss / float64(len(looks))
	low, high := bonferroni, miss
	for range 12 {
		mid := math.Sqrt(low * high)
		if arm.misses(coarse, mid, miss) {
			high = mid
		} else {
			low = mid
		}
	}
	// The chance to miss jumps at every end of an interval, so a fine grid has the say.
	for fine := lowerHalf(evenRates(5000)); low > bonferroni && arm.misses(fine, low, safety*miss); {
		low = max(bonferroni, 0.97*low)
	}
	return low
}

// lowerHalf drops the rates above one half: both arms of a symmetric matter are alike.
func lowerHalf(grid []float64) []float64 { return grid[:(len(grid)+1)/2] }

// oneArm follows the failures of one arm over the looks.
type oneArm struct {
	looks []int
	next  []float64
	mass  []float64
}

func newOneArm(looks []int) *oneArm {
	most := looks[len(looks)-1]
	return &oneArm{looks: looks, mass: make([]float64, most+2), next: make([]float64, most+2)}
}

// misses says whether at some rate of the grid the intervals with the nominal tail miss
// it more often than allowed.
func (a *oneArm) misses(grid []float64, tail, allowed float64) bool {
	for _, rate := range grid {
		if a.missAt(rate, tail) > allowed {
			return true
		}
	}
	return false
}

// missAt adds up the sequences that leave, at some look, the counts whose interval holds
// the rate: those with at least tail/2 on either side.
func (a *oneArm) missAt(rate, tail float64) float64 {
	missed, n := 0.0, 0
	low, high := 0, 0 // counts that still have mass
	a.mass[0] = 1
	for _, look := range a.looks {
		for ; n < look; n++ {
			a.mass[high+1] = a.mass[high] * rate
			for x := high; x > low; x-- {
				a.mass[x] += rate * (a.mass[x-1] - a.mass[x])
			}
			a.mass[low] *= 1 - rate
			high++
		}
		first, last := heldCounts(look, rate, tail/2)
		for ; low < first && low <= high; low++ {
			missed += a.mass[low]
		}
		for ; high > last && high >= low; high-- {
			missed += a.mass[high]
		}
		if low > high {
			return missed
		}
	}
	return missed
}

// heldCounts is the range of counts whose lower and upper tails both exceed the given
// one, so that their Clopper–Pearson interval holds the rate.
func heldCounts(n int, rate, tail float64) (first, last int) {
	count, p := float64(n), rate
	first = int(math.Max(0, math.Floor(count*p-8*math.Sqrt(count*p*(1-p))-4)))
	sum := binomialAtMost(int64(first-1), int64(n), rate)
	for term := binomialProb(float64(first), count, p, 1-p); sum+term <= tail; first++ {
		sum += term
		term *= (count - float64(first)) / float64(first+1) * p / (1 - p)
	}
	last = int(math.Min(count, math.Ceil(count*p+8*math.Sqrt(count*p*(1-p))+6)))
	sum = 1 - binomialAtMost(int64(last), int64(n), rate)
	for term := binomialProb(float64(last), count, p, 1-p); sum+term <= tail; last-- {
		sum += term
		term *= float64(last) / (count - float64(last) + 1) * (1 - p) / p
	}
	return first, last
}
