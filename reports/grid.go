package reports

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/stats"
)

// grid is a stratum as plain texts: what the text, Markdown and Jira renderers share, each with its own escapes.
type grid struct {
	title   string
	caption string // what the table shows, for those who hear it
	metrics bool   // it shows what trials report beside their outcome, and is dropped with such columns
	head    []string
	right   []bool // columns of numbers
	rows    [][]string
}

// newGrid lays a stratum out. Columns that would be empty in every row are left out, but for the counts that make a
// rate honest: those always show.
func newGrid(t *Table, s Stratum) grid {
	g := grid{title: name(s.ID), caption: "Failures per variant; [1] is a note below", rows: make([][]string, len(s.Cells))}
	for _, c := range columns {
		if c.when != nil && !slices.ContainsFunc(s.Cells, c.when) {
			continue
		}
		g.head = append(g.head, c.name(t))
		g.right = append(g.right, c.right)
		for i, cell := range s.Cells {
			g.rows[i] = append(g.rows[i], c.text(cell))
		}
	}
	return g
}

// without gives the grid without some columns.
func (g grid) without(names []string) grid {
	out := grid{title: g.title, caption: g.caption, metrics: g.metrics, rows: make([][]string, len(g.rows))}
	for k, head := range g.head {
		if slices.Contains(names, head) {
			continue
		}
		out.head, out.right = append(out.head, head), append(out.right, g.right[k])
		for i, row := range g.rows {
			out.rows[i] = append(out.rows[i], row[k])
		}
	}
	return out
}

// column is one column of a stratum's table.
type column struct {
	name  func(*Table) string
	right bool
	when  func(Cell) bool // shown when some row has it; nil means always
	text  func(Cell) string
}

func named(name string) func(*Table) string { return func(*Table) string { return name } }

var columns = []column{
	{name: named("variant"), text: variantText},
	{name: named("failed"), right: true, text: func(c Cell) string { return fmt.Sprintf("%d/%d", c.Rate.K, c.Rate.N) }},
	{name: named("rate"), right: true, text: rateText},
	{name: func(t *Table) string { return fmt.Sprintf("%g %% interval", 100*t.Level) }, text: intervalText},
	{name: named("implied in real life"), text: impliedText, when: func(c Cell) bool { return c.Implied.Level > 0 }},
	{name: named("difference"), text: differenceText, when: func(c Cell) bool { return c.Comparison != nil }},
	{name: named("p"), right: true, text: pText, when: func(c Cell) bool { return c.Comparison != nil }},
	{name: named("verdict"), text: verdictText, when: func(c Cell) bool { return c.Comparison != nil }},
	{name: named("classes"), text: classesText, when: func(c Cell) bool { return len(c.Classes) > 0 }},
	{name: named("timeout"), right: true, text: func(c Cell) string { return fmt.Sprint(c.Counts.Timeout) }},
	{name: named("excluded"), text: excludedText},
	{name: named("median"), right: true, text: func(c Cell) string { return seconds(c.Wall.Median, c.Wall.N) }},
	{name: named("metrics"), text: metricsText, when: func(c Cell) bool { return 0 < len(c.Metrics) && len(c.Metrics) <= maxMetrics }},
}

func variantText(c Cell) string {
	text := name(c.Variant)
	switch {
	case c.Baseline && c.Variant != "baseline":
		text += " (baseline)"
	case c.Control:
		text += " (control)"
	}
	return text + marks(c.Notes)
}

// marks points to footnotes.
func marks(notes []int) string {
	if len(notes) == 0 {
		return ""
	}
	texts := make([]string, len(notes))
	for i, n := range notes {
		texts[i] = fmt.Sprint(n)
	}
	return " [" + strings.Join(texts, ",") + "]"
}

func rateText(c Cell) string {
	if c.Rate.N == 0 {
		return "–"
	}
	return stats.Percent(c.Rate.Rate())
}

func intervalText(c Cell) string {
	if c.Interval.Level == 0 {
		return "–"
	}
	return stats.Range(c.Interval)
}

func differenceText(c Cell) string {
	if c.Comparison == nil {
		return ""
	}
	return fmt.Sprintf("%s (%s)", points(c.Rate.Rate()-c.BaseRate), pointsRange(c.Comparison.Difference))
}

func pText(c Cell) string {
	if c.Comparison == nil {
		return ""
	}
	return pValue(c.Comparison.AdjustedP, c.Comparison.Alpha)
}

// pValue writes a p-value; alpha is what it is held against, 0 for nothing.
func pValue(p, alpha float64) string {
	switch {
	case math.IsNaN(p):
		return "–"
	case p < 0.0001:
		return fmt.Sprintf("%.0e", p)
	}
	return stats.PText(p, alpha)
}

func verdictText(c Cell) string {
	if c.Comparison == nil {
		return ""
	}
	return string(c.Comparison.Verdict)
}

func classesText(c Cell) string {
	var parts []string
	for _, class := range slices.Sorted(maps.Keys(c.Classes)) {
		parts = append(parts, fmt.Sprintf("%s %d", name(class), c.Classes[class]))
	}
	return some(parts, ", ")
}

// excludedText names every outcome that is not in the rate and was seen; 0 when none was.
func excludedText(c Cell) string {
	var parts []string
	for _, o := range classify.Outcomes() {
		if n := c.Counts.Of(o); n > 0 && !o.InRate() {
			parts = append(parts, fmt.Sprintf("%d %s", n, o))
		}
	}
	if len(parts) == 0 {
		return "0"
	}
	return strings.Join(parts, ", ")
}

func impliedText(c Cell) string {
	if c.Implied.Level == 0 {
		return ""
	}
	return stats.Range(c.Implied)
}

// maxMetrics is how many metrics fit beside a row; with more, the stratum has a second table.
const maxMetrics = 2

func metricsText(c Cell) string {
	var parts []string
	for _, m := range c.Metrics {
		text := fmt.Sprintf("%s %.4g", name(m.Name), m.Median)
		if !math.IsNaN(m.Low) {
			text += fmt.Sprintf(" (%s)", significant(m.Low, m.High, 4, "–"))
		}
		if s := m.Shift; s != nil {
			text += fmt.Sprintf(", %+.3g against baseline", s.Estimate+0) // +0 turns -0 into 0
			if !math.IsNaN(s.Low) {
				text += fmt.Sprintf(" (%s, p %s)", significant(s.Low, s.High, 3, " to "), pValue(s.P, 0))
			}
		}
		parts = append(parts, text)
	}
	return some(parts, "; ")
}

// maxParts bounds what one field of a table lists.
const maxParts = 12

func some(parts []string, separator string) string {
	if len(parts) > maxParts {
		parts = append(slices.Clone(parts[:maxParts]), fmt.Sprintf("and %d more", len(parts)-maxParts))
	}
	return strings.Join(parts, separator)
}

// seconds writes a duration with three significant digits.
func seconds(s float64, n int) string {
	if n == 0 {
		return "–"
	}
	d := time.Duration(s * float64(time.Second))
	switch {
	case d >= 100*time.Second:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d >= time.Millisecond:
		return d.Round(10 * time.Microsecond).String()
	}
	return d.Round(100 * time.Nanosecond).String()
}
