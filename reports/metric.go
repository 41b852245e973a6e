package reports

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/failrate/failrate/stats"
)

// medians describes every metric of a cell, sorted by name.
func medians(values map[string][]float64, level float64) ([]Metric, error) {
	var out []Metric
	for _, metric := range slices.Sorted(maps.Keys(values)) {
		v := finite(values[metric])
		if len(v) == 0 {
			continue
		}
		found, err := stats.Median(v, level)
		if err != nil {
			return nil, fmt.Errorf("metric %q: %w", metric, err)
		}
		out = append(out, Metric{
			Name: metric, N: found.N, Median: found.Median, Low: bounded(found.Interval.Low), High: bounded(found.Interval.High),
		})
	}
	return out, nil
}

// shifts compares each metric of a cell with the baseline's.
func shifts(c *Cell, base, variant map[string][]float64, level float64) error {
	for i := range c.Metrics {
		m := &c.Metrics[i]
		x, y := finite(base[m.Name]), finite(variant[m.Name])
		if len(x) == 0 || len(y) == 0 {
			continue
		}
		found, err := stats.HodgesLehmann(x, y, level)
		if err != nil {
			return fmt.Errorf("metric %q: %w", m.Name, err)
		}
		m.Shift = &Shift{found.Shift, bounded(found.Interval.Low), bounded(found.Interval.High), found.P}
	}
	return nil
}

// finite leaves out what no median can be made of.
func finite(values []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(values), func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
}

// bounded turns the end of an interval that has none into NaN.
func bounded(x float64) float64 {
	if math.IsInf(x, 0) {
		return math.NaN()
	}
	return x
}
