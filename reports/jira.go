package reports

import (
	"fmt"
	"io"
	"strings"
)

// JiraComment is Jira's limit for a comment, in characters; it is kept in bytes.
const JiraComment = 32_767

// Jira writes the table in Jira's wiki markup, within the limit of a comment.
func Jira(w io.Writer, t *Table) error { return JiraWithin(w, t, JiraComment) }

// JiraWithin writes the table in Jira's wiki markup in at most so many bytes. Detail is dropped as in MarkdownWithin.
func JiraWithin(w io.Writer, t *Table, limit int) error {
	_, err := io.WriteString(w, fit(t, limit, jiraPage))
	return err
}

func jiraPage(p page) string {
	var b strings.Builder
	for _, s := range p.partial {
		fmt.Fprintf(&b, "*Partial:* %s\n\n", jira(s))
	}
	for _, v := range p.verdicts {
		fmt.Fprintf(&b, "* %s\n", jira(v))
	}
	for _, g := range p.grids {
		fmt.Fprintf(&b, "\n*%s*\n", jira(g.title))
		fmt.Fprintf(&b, "||%s||\n", strings.Join(escapeAll(g.head, jiraCell), "||"))
		for _, row := range g.rows {
			fmt.Fprintf(&b, "|%s|\n", strings.Join(escapeAll(row, jiraCell), "|"))
		}
	}
	if len(p.notes) > 0 {
		b.WriteString("\n")
	}
	for i, note := range p.notes {
		fmt.Fprintf(&b, "%s %s\n", jira(fmt.Sprintf("[%d]", i+1)), jira(note))
	}
	if left := p.leftOut(); left != "" {
		fmt.Fprintf(&b, "\n_%s_\n", jira(left))
	}
	if len(p.facts)+len(p.repeat) > 0 {
		b.WriteString("\nh5. Environment, seed and how to repeat it\n")
		for _, line := range p.facts {
			fmt.Fprintf(&b, "* %s\n", jira(line))
		}
		b.WriteString(jiraCode(p.repeat))
	}
	return strings.TrimLeft(b.String(), "\n")
}

// jiraCode keeps lines as they are, in a block that Jira reads nothing in; unless a line would close the block.
func jiraCode(lines []string) string {
	text := strings.Join(lines, "\n")
	switch {
	case text == "":
		return ""
	case strings.Contains(text, "{noformat"):
		return jira(text) + "\n"
	}
	return "{noformat}\n" + text + "\n{noformat}\n"
}

// jiraCell keeps a field from being empty: Jira would take || for a heading.
func jiraCell(s string) string {
	if text := jira(s); text != "" {
		return text
	}
	return " "
}

// jira escapes a text for Jira's wiki markup. A space without width keeps apart what Jira would make a link of.
func jira(s string) string {
	text := []rune(strings.TrimSpace(clean(s)))
	var b strings.Builder
	for i, r := range text {
		next := rune(' ')
		if i+1 < len(text) {
			next = text[i+1]
		}
		switch {
		case r == '\\' || r == '&' || r == '<' || r == '>' || r == '#':
			fmt.Fprintf(&b, "&#%d;", r)
		case r == '-' && next >= '0' && next <= '9' && projectKey(text[:i]):
			b.WriteString("\\-\u200b")
		case strings.ContainsRune("{}[]|*_-+^~?!()", r):
			b.WriteString("\\" + string(r))
		case r == '@', r == ':' && next != ' ', r == ';' && next != ' ':
			b.WriteString(string(r) + "\u200b")
		case r == '.' && i >= 3 && strings.EqualFold(string(text[i-3:i]), "www"):
			b.WriteString("\u200b.")
		case i == 0 && r == 'h' && next >= '1' && next <= '6', i == 0 && r == 'b' && next == 'q':
			b.WriteString("\u200b" + string(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// projectKey reports whether a text ends in what may be a project's key, such as SOLR.
func projectKey(text []rune) bool {
	n := len(text)
	for n > 0 && word(text[n-1]) {
		n--
	}
	return n < len(text) && text[n] >= 'A' && text[n] <= 'Z'
}
