package reports

import "strings"

// The bounds of foreign texts on a page, in runes. What is longer ends in an ellipsis; the JSON form has it whole.
const (
	maxName = 80   // of a variant, class, stratum, fact
	maxText = 1200 // of a sentence
)

// clean makes a foreign text safe for one line of a terminal and bounds it: control characters, which could move the
// cursor, change colours or end the line, become spaces or U+FFFD, and so do marks that turn the reading direction.
func clean(s string) string { return cleanTo(s, maxText) }

// name is clean for a name inside a sentence or a field: short enough that the sentence stays whole.
func name(s string) string { return cleanTo(s, maxName) }

func cleanTo(s string, limit int) string {
	if len(s) > 4*limit+4 { // a rune has at most 4 bytes; the rest is not looked at
		s = s[:4*limit+4]
	}
	var b strings.Builder
	n := 0
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		if n++; n > limit {
			b.WriteString("…")
			break
		}
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			b.WriteByte(' ')
		case unprintable(r):
			b.WriteRune('\uFFFD')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// printable is clean without a bound that keeps lines and tabs: for excerpts of output.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unprintable(r) && r != '\n' && r != '\t' {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// unprintable reports control characters (C0, DEL, C1), line and paragraph separators, and marks that change the
// direction of a text.
func unprintable(r rune) bool {
	switch {
	case r < ' ', r == 0x7f, r >= 0x80 && r < 0xa0:
		return true
	case r == 0x2028, r == 0x2029, r == 0x200e, r == 0x200f, r == 0x61c:
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return true
	}
	return false
}

func escapeAll(texts []string, escape func(string) string) []string {
	out := make([]string, len(texts))
	for i, s := range texts {
		out[i] = escape(s)
	}
	return out
}
