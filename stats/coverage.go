package stats

// Coverage is the exact probability, at each of the rates, that the interval of the named
// single-rate method holds the true rate when there are n trials: the binomial
// probabilities of the counts whose interval does.
func Coverage(method Method, n int64, level float64, rates []float64) ([]float64, error) {
	if err := (Count{K: 0, N: n}).Check(); err != nil {
		return nil, err
	}
	intervals := make([]Interval, n+1)
	for k := range intervals {
		iv, err := RateInterval(method, Count{K: int64(k), N: n}, level)
		if err != nil {
			return nil, err
		}
		intervals[k] = iv
	}
	coverage := make([]float64, len(rates))
	table := ratios(int(n))
	row := make([]float64, n+1)
	for i, rate := range rates {
		if !(rate > 0 && rate < 1) {
			return nil, checkOpen("rate", rate)
		}
		clear(row)
		table.fill(row, rate, 1e-20)
		for k, iv := range intervals {
			if iv.Contains(rate) {
				coverage[i] += row[k]
			}
		}
	}
	return coverage, nil
}
