package stats

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

// row is all binomial probabilities at the rate.
func (r ratioTable) row(rate float64) []float64 {
	p := make([]float64, len(r.up)+1)
	r.fill(p, rate, 0)
	return p
}
