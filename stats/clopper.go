package stats

// ClopperPearson is the exact interval for one rate (Clopper and Pearson 1934,
// Biometrika 26, 404–413): each tail holds at most half of 1-level, whatever the true
// rate, so its coverage is never below the level and often well above it.
func ClopperPearson(c Count, level float64) (Interval, error) {
	if err := checkRate(c, level); err != nil {
		return Interval{}, err
	}
	low, high := clopperLimits(float64(c.K), float64(c.N), (1-level)/2)
	return Interval{Low: low, High: high, Level: level, Method: MethodClopperPearson}, nil
}

// clopperLimits are beta quantiles; k and n are real numbers because Korn and Graubard
// put effective ones in.
func clopperLimits(k, n, tail float64) (low, high float64) {
	high = 1
	if k > 0 {
		low = betaQuantileLower(tail, k, n-k+1)
	}
	if k < n {
		high = betaQuantileUpper(tail, k+1, n-k)
	}
	return low, high
}
