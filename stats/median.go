package stats

import (
	"fmt"
	"math"
	"slices"
)

// Numeric summarises one numeric metric in one cell.
type Numeric struct {
	N        int      `json:"n"`
	Median   float64  `json:"median"`
	Interval Interval `json:"interval"` // of the median, in the metric's unit
}

// Median is the sample median with a distribution-free interval from two order
// statistics: the widest pair of ranks that a Binomial(n, ½) count leaves outside with at
// most the error rate (Conover 1999, Practical Nonparametric Statistics, section 3.2).
// With fewer than six values at 95 % no pair will do and the interval is unbounded.
func Median(values []float64, level float64) (Numeric, error) {
	sorted, err := sortedFinite(values)
	if err != nil {
		return Numeric{}, err
	}
	if err := checkOpen("confidence", level); err != nil {
		return Numeric{}, err
	}
	n := len(sorted)
	out := Numeric{N: n, Median: middle(sorted), Interval: Interval{
		Low: math.Inf(-1), High: math.Inf(1), Level: level, Method: MethodOrderStatistic,
	}}
	if rank := outerRank(n, (1-level)/2); rank > 0 {
		out.Interval.Low, out.Interval.High = sorted[rank-1], sorted[n-rank]
	}
	return out, nil
}

// outerRank is the largest r for which a Binomial(n, ½) count is below r with at most the
// given probability; 0 when there is none.
func outerRank(n int, tail float64) int {
	low, high := 0, n/2+1
	for high-low > 1 {
		if mid := (low + high) / 2; binomialAtMost(int64(mid-1), int64(n), 0.5) <= tail {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// sortedFinite is a sorted copy; an empty sample, NaN and infinities are errors.
func sortedFinite(values []float64) ([]float64, error) {
	if len(values) == 0 {
		return nil, fmt.Errorf("no values of the metric: %w", ErrCount)
	}
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("value %v at position %d: need a finite number", v, i)
		}
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return sorted, nil
}

// middle is the median of a sorted, non-empty sample.
func middle(sorted []float64) float64 {
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return sorted[n/2-1]/2 + sorted[n/2]/2
}
