package reports

import (
	"fmt"
	"math"
	"slices"
)

// maxMetricRows bounds how many metrics a stratum's second table lists; the JSON form has all.
const maxMetricRows = 40

// metricGrid lays out the metrics of a stratum: a row for each, a column for each variant, with the median and its
// interval. A difference from the baseline follows where its interval leaves out 0.
func metricGrid(s Stratum) grid {
	g := grid{
		title: name(s.ID) + ": medians of metrics", caption: "Medians of what trials report, with their intervals; Δ is the shift against the baseline where its interval leaves out 0",
		metrics: true, head: []string{"metric"}, right: []bool{false},
	}
	var names []string
	for _, c := range s.Cells {
		g.head, g.right = append(g.head, name(c.Variant)), append(g.right, true)
		for _, m := range c.Metrics {
			names = append(names, m.Name)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for _, metric := range names[:min(len(names), maxMetricRows)] {
		row := []string{name(metric)}
		for _, c := range s.Cells {
			row = append(row, medianText(c, metric))
		}
		g.rows = append(g.rows, row)
	}
	if more := len(names) - maxMetricRows; more > 0 {
		g.rows = append(g.rows, append([]string{fmt.Sprintf("and %d more", more)}, make([]string, len(s.Cells))...))
	}
	return g
}

// medianText is a cell's median of a metric; a dash when it has none.
func medianText(c Cell, metric string) string {
	i := slices.IndexFunc(c.Metrics, func(m Metric) bool { return m.Name == metric })
	if i < 0 {
		return "–"
	}
	m := c.Metrics[i]
	text := fmt.Sprintf("%.4g", m.Median)
	if !math.IsNaN(m.Low) {
		text += fmt.Sprintf(" (%s)", significant(m.Low, m.High, 3, "–"))
	}
	if d := m.Shift; d != nil && !math.IsNaN(d.Low) && (d.Low > 0 || d.High < 0) {
		text += fmt.Sprintf(" Δ %+.3g", d.Estimate)
	}
	return text
}
