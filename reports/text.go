package reports

import (
	"fmt"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// Text writes the table in full.
func Text(w io.Writer, t *Table) error { return TextWithin(w, t, 0) }

// TextWithin writes the table for a terminal that is width characters wide; zero means any width. Tables too wide for it
// lose columns, those first whose content is elsewhere on the page, and a line says which.
func TextWithin(w io.Writer, t *Table, width int) error {
	p := &printer{w: w}
	page := newPage(t)
	page.narrow(width)
	for _, s := range page.partial {
		p.linef("PARTIAL: %s", clean(s))
	}
	for _, g := range page.grids {
		p.linef("%s", clean(g.title))
		p.grid(g)
		p.linef("")
	}
	for _, v := range verdictLines(t, page.verdicts) {
		p.linef("%s", clean(v))
	}
	for i, note := range page.notes {
		p.linef("[%d] %s", i+1, clean(note))
	}
	for _, line := range page.facts {
		p.linef("%s", clean(line))
	}
	if len(page.left) > 0 {
		p.linef("Left out for want of width: %s. A wider terminal, a file or another --format has them.", strings.Join(page.left, ", "))
	}
	for _, line := range page.repeat {
		p.linef("Repeat: %s", line)
	}
	return p.err
}

// printer keeps the first error of a series of writes.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) linef(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

func (p *printer) grid(g grid) {
	if p.err != nil {
		return
	}
	align := make([]tw.Align, len(g.right))
	for i, right := range g.right {
		align[i] = tw.AlignLeft
		if right {
			align[i] = tw.AlignRight
		}
	}
	table := tablewriter.NewTable(p.w,
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders:  tw.BorderNone,
			Settings: tw.Settings{Separators: tw.Separators{BetweenColumns: tw.Off, BetweenRows: tw.Off}, Lines: tw.Lines{ShowHeaderLine: tw.On}},
		})),
		tablewriter.WithConfig(tablewriter.Config{
			Header: tw.CellConfig{Formatting: tw.CellFormatting{AutoFormat: tw.Off}, Alignment: tw.CellAlignment{PerColumn: align}},
			Row:    tw.CellConfig{Formatting: tw.CellFormatting{AutoWrap: tw.WrapNone}, Alignment: tw.CellAlignment{PerColumn: align}},
		}),
	)
	table.Header(escapeAll(g.head, clean))
	for _, row := range g.rows {
		if p.err == nil {
			p.err = table.Append(escapeAll(row, clean))
		}
	}
	if p.err == nil {
		p.err = table.Render()
	}
}
