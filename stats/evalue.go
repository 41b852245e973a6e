package stats

import "math"

// batch is the trials of both arms between two looks, and the rates that were expected
// for them beforehand.
type batch struct {
	base, variant   Count
	expBase, expVar float64
}

// growthAgainst is the logarithm of the e-variable of one batch against the null "variant
// rate minus baseline rate is delta": the likelihood at the expected rates over that at
// the pair of the null that is nearest to them in Kullback–Leibler divergence (Turner,
// Ly and Grünwald 2024, Statistical Planning and Inference 231; for delta other than
// zero Turner and Grünwald 2023, Statistics and Probability Letters 198). Its expectation
// under every pair of the null is at most one, so products over batches are e-values.
func (b batch) growthAgainst(delta float64) float64 {
	null := nearestNull(b, delta)
	return logRatio(b.base, b.expBase, null) + logRatio(b.variant, b.expVar, null+delta)
}

// logRatio is the log likelihood of the counts at rate p over that at rate q.
func logRatio(c Count, p, q float64) float64 {
	sum := 0.0
	if c.K > 0 {
		sum += float64(c.K) * math.Log(p/q)
	}
	if passes := c.N - c.K; passes > 0 {
		sum += float64(passes) * math.Log((1-p)/(1-q))
	}
	return sum
}

// nearestNull is the baseline rate of the nearest pair. For delta zero it is the mean of
// the expected rates, weighted by the trials of the arms.
func nearestNull(b batch, delta float64) float64 {
	m, n := float64(b.base.N), float64(b.variant.N)
	if delta == 0 {
		return (m*b.expBase + n*b.expVar) / (m + n)
	}
	low, high := math.Max(0, -delta), math.Min(1, 1-delta)
	if low >= high { // a difference of one leaves a single pair
		return low
	}
	p := (m*b.expBase + n*(b.expVar-delta)) / (m + n)
	for range 60 { // Newton steps on the slope, which falls, inside a shrinking bracket
		if !(p > low && p < high) {
			p = (low + high) / 2
		}
		x, y := p, p+delta
		slope := m*(b.expBase/x-(1-b.expBase)/(1-x)) + n*(b.expVar/y-(1-b.expVar)/(1-y))
		if slope > 0 {
			low = p
		} else {
			high = p
		}
		curve := m*(b.expBase/(x*x)+(1-b.expBase)/((1-x)*(1-x))) + n*(b.expVar/(y*y)+(1-b.expVar)/((1-y)*(1-y)))
		step := slope / curve
		p += step
		if math.Abs(step) < 1e-13 || high-low < 1e-15 {
			break
		}
	}
	return math.Min(math.Max(p, low), high)
}

// expectation is the rate expected of an arm from what it has shown: the mean of a Beta
// posterior with the weight that Turner, Ly and Grünwald recommend for the prior.
func expectation(seen Count) float64 {
	const weight = 0.18
	return (float64(seen.K) + weight) / (float64(seen.N) + 2*weight)
}
