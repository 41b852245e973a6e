package reports

import (
	"slices"
	"unicode/utf8"
)

// spare are the columns that a narrow terminal can do without, in the order in which they go.
var spare = []string{"metrics", "median", "implied in real life", "p", "difference", "classes"}

// narrow drops columns until every grid fits, and keeps their names in left. Zero means that any width fits.
func (p *page) narrow(width int) {
	for _, column := range spare {
		if width <= 0 || p.width() <= width {
			return
		}
		if slices.ContainsFunc(p.grids, func(g grid) bool { return slices.Contains(g.head, column) || column == "metrics" && g.metrics }) {
			p.dropColumns(column)
			p.left = append(p.left, column)
		}
	}
}

// width is that of the widest grid, in characters.
func (p *page) width() int {
	widest := 0
	for _, g := range p.grids {
		widest = max(widest, g.width())
	}
	return widest
}

// width counts the characters of a row as Text prints it: each column as wide as its widest text, with a space before
// and after it.
func (g grid) width() int {
	sum := 0
	for k, head := range g.head {
		column := utf8.RuneCountInString(clean(head))
		for _, row := range g.rows {
			column = max(column, utf8.RuneCountInString(clean(row[k])))
		}
		sum += column + 2
	}
	return sum
}
