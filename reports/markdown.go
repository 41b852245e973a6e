package reports

import (
	"fmt"
	"io"
	"strings"
)

// Markdown writes the table for GitHub: verdicts first, then the strata, then a folded section with what it takes to
// judge and to repeat it. Every foreign text is escaped: nothing in it becomes markup, a mention or a link.
func Markdown(w io.Writer, t *Table) error {
	p := &printer{w: w}
	for _, s := range t.Partial {
		p.linef("> **Partial:** %s\n", markdown(s))
	}
	for _, v := range t.Verdicts {
		p.linef("- %s", markdown(v))
	}
	if len(t.Verdicts) > 0 {
		p.linef("")
	}
	for _, s := range t.Strata {
		p.linef("**%s**\n", markdown(s.ID))
		p.markdownGrid(newGrid(t, s))
		p.linef("")
	}
	for i, note := range t.Footnotes {
		p.linef("%d. %s", i+1, markdown(note))
	}
	p.linef("\n<details><summary>Environment and how to repeat</summary>\n")
	for _, line := range context(t) {
		p.linef("- %s", markdown(line))
	}
	p.linef("\n</details>")
	return p.err
}

func (p *printer) markdownGrid(g grid) {
	rule := make([]string, len(g.right))
	for i, right := range g.right {
		rule[i] = "---"
		if right {
			rule[i] = "--:"
		}
	}
	p.linef("| %s |", strings.Join(escapeAll(g.head, markdown), " | "))
	p.linef("| %s |", strings.Join(rule, " | "))
	for _, row := range g.rows {
		p.linef("| %s |", strings.Join(escapeAll(row, markdown), " | "))
	}
}

func escapeAll(texts []string, escape func(string) string) []string {
	out := make([]string, len(texts))
	for i, s := range texts {
		out[i] = escape(s)
	}
	return out
}

// markdown escapes a text for a GitHub comment, table cells included.
func markdown(s string) string {
	var b strings.Builder
	for _, r := range clean(s) {
		switch {
		case r == '<' || r == '>' || r == '&' || r == '|' || r == '@' || r == '#':
			fmt.Fprintf(&b, "&#%d;", r)
		case strings.ContainsRune("\\`*_{}[]!~$", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == ':':
			b.WriteString("&#58;") // no bare link comes alive, no emoji either
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
