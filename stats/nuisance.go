package stats

import (
	"math"
	"slices"
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

// ratioTable holds the quotients of neighbouring binomial coefficients, both ways, so that
// filling a row takes no division.
type ratioTable struct {
	up   []float64 // up[x] = C(n, x+1) / C(n, x)
	down []float64 // down[x] = C(n, x) / C(n, x+1)
}

func ratios(n int) ratioTable {
	r := ratioTable{up: make([]float64, n), down: make([]float64, n)}
	for x := range n {
		r.up[x], r.down[x] = float64(n-x)/float64(x+1), float64(x+1)/float64(n-x)
	}
	return r
}

// fill writes the binomial probabilities into p and returns the range [low, high] outside
// which they are below cut and not written.
func (r ratioTable) fill(p []float64, rate, cut float64) (low, high int) {
	n := len(r.up)
	mode := min(n, int(float64(n+1)*rate))
	odds, back := rate/(1-rate), (1-rate)/rate
	v := binomialProb(float64(mode), float64(n), rate, 1-rate)
	p[mode] = v
	low, high = mode, mode
	for w := v; low > 0 && w > cut; low-- {
		w *= r.down[low-1] * back
		p[low-1] = w
	}
	for w := v; high < n && w > cut; high++ {
		w *= r.up[high] * odds
		p[high+1] = w
	}
	return low, high
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
	sum, tail, next := 0.0, 0.0, high2
	for x1 := high1; x1 >= low1; x1-- {
		for from := max(int(s.from[x1]), low2); next >= from; next-- {
			tail += p2[next]
		}
		sum += a.p1[x1] * tail
	}
	return sum
}

// supremum is the largest probability of the set over all common rates. The grid, which
// only has to show where the peaks are, is computed to eight digits.
func (a *binomialArms) supremum(s staircase) float64 {
	grid := rateGrid(max(a.n1, a.n2))
	values := make([]float64, len(grid))
	fine := a.cut
	a.cut = a.size * 1e-9
	for i, rate := range grid {
		values[i] = a.prob(s, rate)
	}
	a.cut = fine
	return highestPeak(grid, values, func(rate float64) float64 { return a.prob(s, rate) })
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

// highestPeak finds the largest value of f from its values on an increasing grid in
// (0, 1) and a golden section search around every peak of the grid that could hold it.
func highestPeak(grid, values []float64, f func(float64) float64) float64 {
	coarse, highest := slices.Max(values), 0.0
	for i := range grid {
		if couldExceed(values, i, coarse) {
			left, right := neighbours(grid, i)
			highest = max(highest, f(grid[i]), goldenSection(left, right, f))
		}
	}
	return highest
}

// couldExceed says whether the peak at i, if it is one, may rise above best between the
// grid points: when the parabola through it and its neighbours, four times as high for
// safety, does. A peak at the end of the grid counts when it is within a tenth.
func couldExceed(values []float64, i int, best float64) bool {
	v := values[i]
	if i == 0 || i == len(values)-1 {
		return v >= 0.9*best
	}
	left, right := values[i-1], values[i+1]
	if left > v || right > v {
		return false
	}
	curve := 2*v - left - right
	if curve <= 0 {
		return v >= best
	}
	return v+(left-right)*(left-right)/(2*curve)+curve/10 >= best
}

func neighbours(grid []float64, i int) (left, right float64) {
	left, right = 0, 1
	if i > 0 {
		left = grid[i-1]
	}
	if i+1 < len(grid) {
		right = grid[i+1]
	}
	return left, right
}

// goldenSection narrows a bracket around a peak to a millionth of its width, which leaves
// the peak's value right to about 1e-12.
func goldenSection(left, right float64, f func(float64) float64) float64 {
	const ratio = 0.6180339887498949
	a, b := right-ratio*(right-left), left+ratio*(right-left)
	fa, fb := f(a), f(b)
	for stop := 1e-6 * (right - left); right-left > stop; {
		if fa >= fb {
			right, b, fb = b, a, fa
			a = right - ratio*(right-left)
			fa = f(a)
		} else {
			left, a, fa = a, b, fb
			b = left + ratio*(right-left)
			fb = f(b)
		}
	}
	return max(fa, fb)
}
