package stats

import "math"

// binomialArms computes probabilities of staircases for two independent arms. It owns
// its scratch space, so one value serves one goroutine.
type binomialArms struct {
	n1, n2 int
	cut    float64   // probabilities below it are left out of every sum
	up1    []float64 // (n-x)/(x+1) for the first arm
	up2    []float64
	p1, p2 []float64
}

// newBinomialArms prepares for probabilities of about the given size: what is left out
// is smaller by a factor of 10¹⁸ or more.
func newBinomialArms(n1, n2 int, size float64) *binomialArms {
	return &binomialArms{
		n1: n1, n2: n2, cut: size * 1e-20,
		up1: ratios(n1), up2: ratios(n2),
		p1: make([]float64, n1+1), p2: make([]float64, n2+2),
	}
}

func ratios(n int) []float64 {
	r := make([]float64, n)
	for x := range r {
		r[x] = float64(n-x) / float64(x+1)
	}
	return r
}

// fillBinomial writes the binomial probabilities into p and returns the range [low, high]
// outside which they are below cut and not written.
func fillBinomial(p, up []float64, rate, cut float64) (low, high int) {
	n := len(up)
	mode := min(n, int(float64(n+1)*rate))
	odds, back := rate/(1-rate), (1-rate)/rate
	p[mode] = binomialProb(float64(mode), float64(n), rate, 1-rate)
	low, high = mode, mode
	for low > 0 && p[low] > cut {
		p[low-1] = p[low] / up[low-1] * back
		low--
	}
	for high < n && p[high] > cut {
		p[high+1] = p[high] * up[high] * odds
		high++
	}
	return low, high
}

// prob is the probability of the set when both arms have the given rate.
func (a *binomialArms) prob(s staircase, rate float64) float64 {
	return a.probAt(s, rate, rate)
}

// probAt is the probability of the set when the arms have the two given rates.
func (a *binomialArms) probAt(s staircase, rate1, rate2 float64) float64 {
	low1, high1 := fillBinomial(a.p1[:a.n1+1], a.up1, rate1, a.cut)
	low2, high2 := fillBinomial(a.p2[:a.n2+1], a.up2, rate2, a.cut)
	// from never falls, so the upper tail of the second arm is summed once, downwards.
	sum, tail, next := 0.0, 0.0, high2
	for x1 := high1; x1 >= low1; x1-- {
		for from := max(int(s.from[x1]), low2); next >= from; next-- {
			tail += a.p2[next]
		}
		sum += a.p1[x1] * tail
	}
	return sum
}

// supremum is the largest probability of the set over all common rates.
func (a *binomialArms) supremum(s staircase) float64 {
	_, p := maximise(rateGrid(max(a.n1, a.n2)), func(rate float64) float64 { return a.prob(s, rate) })
	return p
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

// maximise finds the largest value of f from its values on an increasing grid in (0, 1)
// and a golden section search around every peak of the grid that could hold it.
func maximise(grid []float64, f func(float64) float64) (at, value float64) {
	values := make([]float64, len(grid))
	for i, x := range grid {
		values[i] = f(x)
		if values[i] > value {
			at, value = x, values[i]
		}
	}
	coarse := value
	for i := range grid {
		if couldExceed(values, i, coarse) {
			left, right := neighbours(grid, i)
			if x, y := goldenSection(left, right, f); y > value {
				at, value = x, y
			}
		}
	}
	return at, value
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
func goldenSection(left, right float64, f func(float64) float64) (at, value float64) {
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
	if fa >= fb {
		return a, fa
	}
	return b, fb
}
