package reports

import (
	"fmt"
	"io"
	"strings"
)

// GitHub's limits, in characters of a comment and bytes of a job's step summary. Both are kept in bytes.
const (
	MarkdownComment = 65_536
	MarkdownSummary = 1 << 20
)

// Markdown writes the table for a GitHub comment.
func Markdown(w io.Writer, t *Table) error { return MarkdownWithin(w, t, MarkdownComment) }

// MarkdownWithin writes the table for GitHub in at most so many bytes: verdicts first, then the strata, then a folded
// section with what it takes to judge and to repeat it. When it does not fit, detail is dropped in this order, and the
// page says so: machines and settings; metrics and durations; footnotes; classes and differences; the command that repeats it;
// then the last verdicts and rows. Every foreign text is escaped: nothing in it becomes markup, a mention or a link.
func MarkdownWithin(w io.Writer, t *Table, limit int) error {
	_, err := io.WriteString(w, fit(t, limit, markdownPage))
	return err
}

func markdownPage(p page) string {
	var b strings.Builder
	for _, s := range p.partial {
		fmt.Fprintf(&b, "> **Partial:** %s\n\n", markdown(s))
	}
	for _, v := range p.verdicts {
		fmt.Fprintf(&b, "- %s\n", markdown(v))
	}
	for _, g := range p.grids {
		fmt.Fprintf(&b, "\n**%s**\n\n", markdown(g.title))
		markdownGrid(&b, g)
	}
	if len(p.notes) > 0 {
		b.WriteString("\n")
	}
	for i, note := range p.notes {
		fmt.Fprintf(&b, "%d. %s\n", i+1, markdown(note))
	}
	if left := p.leftOut(); left != "" {
		fmt.Fprintf(&b, "\n_%s_\n", markdown(left))
	}
	if len(p.facts)+len(p.repeat) > 0 {
		b.WriteString("\n<details><summary>Environment, seed and how to repeat it</summary>\n\n")
		for _, line := range p.facts {
			fmt.Fprintf(&b, "- %s\n", markdown(line))
		}
		b.WriteString(markdownCode(p.repeat))
		b.WriteString("\n</details>\n")
	}
	return strings.TrimLeft(b.String(), "\n")
}

func markdownGrid(b *strings.Builder, g grid) {
	rule := make([]string, len(g.right))
	for i, right := range g.right {
		rule[i] = "---"
		if right {
			rule[i] = "--:"
		}
	}
	fmt.Fprintf(b, "| %s |\n", strings.Join(escapeAll(g.head, markdown), " | "))
	fmt.Fprintf(b, "| %s |\n", strings.Join(rule, " | "))
	for _, row := range g.rows {
		fmt.Fprintf(b, "| %s |\n", strings.Join(escapeAll(row, markdown), " | "))
	}
}

// markdownCode fences lines with more backticks than any line has in a row, so that none can close the fence.
func markdownCode(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	text := strings.Join(lines, "\n")
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return "\n" + fence + "sh\n" + text + "\n" + fence + "\n"
}

// zero is a space without width. GitHub looks for mentions, issues, commits and emoji in the text that Markdown made,
// where an escape is no longer seen: only something between the characters keeps them apart.
const zero = "&#8203;"

// markdown escapes a text for GitHub, table cells included.
func markdown(s string) string {
	text := []rune(strings.TrimSpace(clean(s)))
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if n := hexRun(text, i); n >= 7 { // a commit, if one has that name: in code nothing is linked
			b.WriteString("`" + string(text[i:i+n]) + "`")
			i += n - 1
			continue
		}
		switch r := text[i]; {
		case strings.ContainsRune("<>&|", r):
			fmt.Fprintf(&b, "&#%d;", r)
		case r == '@' || r == '#':
			fmt.Fprintf(&b, "&#%d;%s", r, zero)
		case r == ':' && i+1 < len(text) && text[i+1] != ' ':
			b.WriteString("&#58;" + zero)
		case r == '-' && i >= 2 && strings.EqualFold(string(text[i-2:i]), "gh"):
			b.WriteString("-" + zero)
		case r == '.' && i >= 3 && strings.EqualFold(string(text[i-3:i]), "www"):
			b.WriteString(zero + ".")
		case strings.ContainsRune("\\`*_{}[]!~$", r), starts(text, i):
			b.WriteString("\\" + string(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// starts reports a mark that would begin a list, a rule or a heading: first in its line, or after digits that are.
func starts(text []rune, i int) bool {
	switch text[i] {
	case '-', '+', '=':
		return i == 0
	case '.', ')':
		for _, r := range text[:i] {
			if r < '0' || r > '9' {
				return false
			}
		}
		return i > 0 && (i+1 == len(text) || text[i+1] == ' ')
	}
	return false
}

// hexRun is the length of the word of hexadecimal digits that starts at i; 0 when none does.
func hexRun(text []rune, i int) int {
	if i > 0 && word(text[i-1]) {
		return 0
	}
	n := 0
	for i+n < len(text) && word(text[i+n]) {
		if !strings.ContainsRune("0123456789abcdefABCDEF", text[i+n]) {
			return 0
		}
		n++
	}
	return n
}

func word(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_' || r > 0x7f
}
