package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/failrate/failrate/stats"
)

// page is a table as plain texts in the order in which people read it: what the text, Markdown and Jira renderers
// share, each with its own escapes.
type page struct {
	partial  []string
	verdicts []string
	grids    []grid
	notes    []string // numbered from 1 by their place
	facts    []string
	repeat   []string // command lines, quoted for a shell
	left     []string // what was dropped to fit, in the order in which it was
}

func newPage(t *Table) page {
	p := page{
		partial: slices.Clone(t.Partial), verdicts: slices.Clone(t.Verdicts), notes: slices.Clone(t.Footnotes),
		facts: factLines(t), repeat: repeats(t),
	}
	for _, s := range t.Strata {
		p.grids = append(p.grids, newGrid(t, s))
		if slices.ContainsFunc(s.Cells, func(c Cell) bool { return len(c.Metrics) > maxMetrics }) {
			p.grids = append(p.grids, metricGrid(s))
		}
	}
	if len(t.Pooled) > 0 {
		p.grids = append(p.grids, poolGrid(t))
	}
	return p
}

// poolGrid lays out the effects over several campaigns.
func poolGrid(t *Table) grid {
	g := grid{
		title:   "Pooled over campaigns, stratum by stratum (Mantel and Haenszel); counts are never added up",
		caption: "Each variant against the baseline",
		head:    []string{"variant", "stratum", "campaigns", "difference", "p", "odds ratio"}, right: []bool{false, false, true, false, true, false},
	}
	for _, p := range t.Pooled {
		e := p.Effect
		g.rows = append(g.rows, []string{
			name(p.Variant) + marks(p.Notes), name(p.Stratum), fmt.Sprint(p.Campaigns),
			fmt.Sprintf("%s (%s)", points(e.Difference), pointsRange(e.DiffRange)), pValue(e.P, 0), ratioText(e.OddsRatio, e.OddsRange),
		})
	}
	return g
}

func ratioText(ratio float64, iv stats.Interval) string {
	if !(ratio >= 0) {
		return "–"
	}
	return fmt.Sprintf("%s (%s)", strings.Replace(fmt.Sprintf("%.3g", ratio), "+Inf", "∞", 1), significant(iv.Low, iv.High, 3, " to "))
}

// reduction drops one kind of detail from a page.
type reduction struct {
	what string
	drop func(*page)
}

// reductions are tried in this order, each on top of those before, until a page fits a tracker's limit.
var reductions = []reduction{
	{"machines and settings", func(p *page) { p.facts = nil }},
	{"metrics and durations", func(p *page) { p.dropColumns("metrics", "median") }},
	{"footnotes", func(p *page) { p.notes = nil }},
	{"classes and differences", func(p *page) { p.dropColumns("classes", "difference", "implied in real life") }},
	{"the command that repeats it", func(p *page) { p.repeat = nil }},
}

// fit renders a table within a limit in bytes: whole, or without the details that reductions names, or at last with as
// many verdicts and rows as there is room for. It never cuts a text, and says on the page what it left out.
func fit(t *Table, limit int, render func(page) string) string {
	p := newPage(t)
	text := render(p)
	for _, r := range reductions {
		if len(text) <= limit {
			return text
		}
		r.drop(&p)
		p.left = append(p.left, r.what)
		text = render(p)
	}
	if len(text) <= limit {
		return text
	}
	fits, tooMany := 0, p.lines() // rows and verdicts kept
	for fits+1 < tooMany {
		if middle := (fits + tooMany) / 2; len(render(p.first(middle))) <= limit {
			fits = middle
		} else {
			tooMany = middle
		}
	}
	return render(p.first(fits))
}

// lines is the largest number of lines of one kind.
func (p page) lines() int {
	rows := 0
	for _, g := range p.grids {
		rows += len(g.rows)
	}
	return max(rows, len(p.verdicts), len(p.partial)) + 1
}

// first keeps the first n lines of every kind, and says how many it left out.
func (p page) first(n int) page {
	out := page{left: slices.Clone(p.left)}
	cut := func(what string, lines []string) []string {
		if len(lines) > n {
			out.left = append(out.left, fmt.Sprintf("%d of %d %s", len(lines)-n, len(lines), what))
			return lines[:n]
		}
		return lines
	}
	out.partial, out.verdicts = cut("lines on what is missing", p.partial), cut("verdicts", p.verdicts)
	room, rows, all := n, 0, 0
	for _, g := range p.grids {
		all += len(g.rows)
		g.rows = g.rows[:min(room, len(g.rows))]
		room, rows = room-len(g.rows), rows+len(g.rows)
		if len(g.rows) > 0 {
			out.grids = append(out.grids, g)
		}
	}
	if rows < all {
		out.left = append(out.left, fmt.Sprintf("%d of %d rows", all-rows, all))
	}
	return out
}

func (p *page) dropColumns(names ...string) {
	if slices.Contains(names, "metrics") {
		p.grids = slices.DeleteFunc(p.grids, func(g grid) bool { return g.metrics })
	}
	for i := range p.grids {
		p.grids[i] = p.grids[i].without(names)
	}
}

// leftOut is the line that says what a page lacks; empty when it is whole.
func (p page) leftOut() string {
	if len(p.left) == 0 {
		return ""
	}
	return "Left out to stay within this tracker's limit: " + strings.Join(p.left, "; ") + ". The JSON and HTML forms have everything."
}
