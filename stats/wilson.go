package stats

import "math"

// Wilson is the score interval for one rate (Wilson 1927, Journal of the American
// Statistical Association 22, 209–212), without continuity correction. Its coverage is
// near the level on average and dips below it at single rates; see coverage.svg.
//
// The limits solve (p̂-p)² = z² p(1-p)/n. The lower one is taken from the product of the
// two roots, because the textbook difference loses its digits at rates such as 10⁻⁶.
func Wilson(c Count, level float64) (Interval, error) {
	if err := checkRate(c, level); err != nil {
		return Interval{}, err
	}
	low, high := wilsonLimits(float64(c.K), float64(c.N), level)
	return Interval{Low: low, High: high, Level: level, Method: MethodWilson}, nil
}

// wilsonLimits takes k and n as real numbers, as an effective sample size needs.
func wilsonLimits(k, n, level float64) (low, high float64) {
	z := twoSidedZ(level)
	p, q, t := k/n, (n-k)/n, z*z/n
	if k == n {
		return 1 / (1 + t), 1
	}
	high = (2*p + t + z*math.Sqrt(t/n+4*p*q/n)) / (2 * (1 + t)) // every term is positive
	low = p * p / ((1 + t) * high)
	return low, high
}
