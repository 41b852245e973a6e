package reports

import (
	"fmt"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// Text writes the table for a terminal.
func Text(w io.Writer, t *Table) error {
	p := &printer{w: w}
	for _, s := range t.Partial {
		p.linef("PARTIAL: %s", clean(s))
	}
	for _, s := range t.Strata {
		p.linef("%s", clean(s.ID))
		p.grid(newGrid(t, s))
		p.linef("")
	}
	for _, v := range t.Verdicts {
		p.linef("%s", clean(v))
	}
	for i, note := range t.Footnotes {
		p.linef("[%d] %s", i+1, clean(note))
	}
	for _, line := range context(t) {
		p.linef("%s", clean(line))
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
	table.Header(cleanAll(g.head))
	for _, row := range g.rows {
		if p.err == nil {
			p.err = table.Append(cleanAll(row))
		}
	}
	if p.err == nil {
		p.err = table.Render()
	}
}

func cleanAll(texts []string) []string {
	out := make([]string, len(texts))
	for i, s := range texts {
		out[i] = clean(s)
	}
	return out
}

// maxText bounds any one text of a report, in runes: names and messages are foreign and may be of any length.
const maxText = 300

// clean makes a foreign text safe for a line of a terminal: control characters, which could move the cursor, change
// colours or end the line, become spaces or vanish, and what is too long is cut.
func clean(s string) string {
	var b strings.Builder
	n := 0
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		if n++; n > maxText {
			b.WriteString("…")
			break
		}
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			b.WriteByte(' ')
		case r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0: // C0, DEL, C1
			b.WriteRune('\uFFFD')
		case r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069: // bidirectional overrides
			b.WriteRune('\uFFFD')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
