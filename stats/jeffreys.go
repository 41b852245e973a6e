package stats

// Jeffreys is the equal-tailed posterior interval under the prior Beta(½, ½), with the
// ends set to 0 and 1 when no trial or every trial failed (Brown, Cai and DasGupta 2001,
// Statistical Science 16, 101–133, section 3.1.3).
func Jeffreys(c Count, level float64) (Interval, error) {
	if err := checkRate(c, level); err != nil {
		return Interval{}, err
	}
	a, b, tail := float64(c.K)+0.5, float64(c.N-c.K)+0.5, (1-level)/2
	iv := Interval{Low: 0, High: 1, Level: level, Method: MethodJeffreys}
	if c.K > 0 {
		iv.Low = betaQuantileLower(tail, a, b)
	}
	if c.K < c.N {
		iv.High = betaQuantileUpper(tail, a, b)
	}
	return iv, nil
}
