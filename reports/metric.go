package reports

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// medians describes every metric of a cell, sorted by name.
func medians(values map[string][]float64, level float64) ([]Metric, error) {
	var out []Metric
	for _, name := range slices.Sorted(maps.Keys(values)) {
		v := slices.DeleteFunc(slices.Clone(values[name]), func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
		if len(v) == 0 {
			continue
		}
		slices.Sort(v)
		m := Metric{Name: name, N: len(v), Median: midpoint(v), Low: math.NaN(), High: math.NaN()}
		if k := orderStatistic(len(v), level); k > 0 {
			m.Low, m.High = v[k-1], v[len(v)-k]
		}
		out = append(out, m)
	}
	return out, nil
}

// orderStatistic is the largest k for which the k-th smallest and k-th largest of n values enclose the median with the
// given confidence, whatever their distribution (Conover 1999, Practical Nonparametric Statistics, 3.2); 0 when n is too
// small for that.
func orderStatistic(n int, level float64) int {
	b := distuv.Binomial{N: float64(n), P: 0.5}
	low, high := 0, n/2
	for low < high { // the largest k with P(X ≤ k−1) ≤ (1−level)/2
		k := (low + high + 1) / 2
		if b.CDF(float64(k-1)) <= (1-level)/2 {
			low = k
		} else {
			high = k - 1
		}
	}
	return low
}

func midpoint(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// shiftSample bounds the values of each arm that a shift is computed from: the pairs are its square. More are thinned
// to as many evenly spaced quantiles, which moves the estimate less than the interval is wide.
const shiftSample = 1000

// shifts compares each metric of a cell with the baseline's: the median of all pairwise differences and its interval
// (Hodges and Lehmann 1963; Lehmann 1975, Nonparametrics, 2.5), with the p value of Mann and Whitney's rank test.
func shifts(c *Cell, base, variant map[string][]float64, level float64) error {
	for i := range c.Metrics {
		m := &c.Metrics[i]
		x, y := finite(base[m.Name]), finite(variant[m.Name])
		if len(x) < 5 || len(y) < 5 {
			continue
		}
		m.Shift = shift(x, y, level)
	}
	return nil
}

func finite(values []float64) []float64 {
	v := slices.DeleteFunc(slices.Clone(values), func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
	slices.Sort(v)
	return v
}

func shift(x, y []float64, level float64) *Shift {
	n, m := float64(len(x)), float64(len(y))
	u, ties := rankSum(x, y)
	mean := n * m / 2
	deviation := math.Sqrt(n * m / 12 * (n + m + 1 - ties/((n+m)*(n+m-1))))
	s := &Shift{P: 1}
	if deviation > 0 {
		s.P = math.Erfc(max(0, math.Abs(u-mean)-0.5) / deviation / math.Sqrt2)
	}
	a, b := thin(x), thin(y)
	pairs := make([]float64, 0, len(a)*len(b))
	for _, p := range a {
		for _, q := range b {
			pairs = append(pairs, q-p)
		}
	}
	slices.Sort(pairs)
	z := -distuv.UnitNormal.Quantile((1 - level) / 2)
	rank := (mean - z*math.Sqrt(n*m*(n+m+1)/12)) / (n * m) // as a share of the pairs
	k := max(0, int(math.Floor(rank*float64(len(pairs)))))
	s.Estimate, s.Low, s.High = midpoint(pairs), pairs[k], pairs[len(pairs)-1-k]
	return s
}

// rankSum is Mann and Whitney's U of y over x, and the sum of t³−t over ties. Both are sorted.
func rankSum(x, y []float64) (u, ties float64) {
	i, k := 0, 0
	for i < len(x) || k < len(y) {
		v := math.Inf(1)
		if i < len(x) {
			v = x[i]
		}
		if k < len(y) {
			v = min(v, y[k])
		}
		below, same, own := i, 0, 0
		for ; i < len(x) && x[i] == v; i++ {
			same++
		}
		for ; k < len(y) && y[k] == v; k++ {
			own++
		}
		u += float64(own) * (float64(below) + float64(same)/2)
		t := float64(same + own)
		ties += t*t*t - t
	}
	return u, ties
}

// thin keeps at most shiftSample evenly spaced values.
func thin(sorted []float64) []float64 {
	if len(sorted) <= shiftSample {
		return sorted
	}
	out := make([]float64, shiftSample)
	for i := range out {
		out[i] = sorted[(2*i+1)*len(sorted)/(2*shiftSample)]
	}
	return out
}
