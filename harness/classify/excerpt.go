package classify

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ansi matches terminal control sequences: CSI, OSC and two-byte escapes.
var ansi = regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[@-Z\\\\-_])")

// around gives at most MaxExcerpt printable bytes of text, with the match b[start:end] in the middle; of a long match
// the beginning.
func around(b []byte, start, end int) string {
	side := max(0, MaxExcerpt-(end-start)) / 2
	from := max(0, start-side)
	to := min(len(b), from+MaxExcerpt)
	from = max(0, min(from, to-MaxExcerpt))
	for from < to && from > 0 && !utf8.RuneStart(b[from]) {
		from++
	}
	return printable(b[from:to], MaxExcerpt)
}

// head gives the first printable bytes of b, at most MaxExcerpt.
func head(b []byte) string { return printable(b[:min(len(b), 2*MaxExcerpt)], MaxExcerpt) }

// last gives the last printable bytes of b, at most MaxExcerpt.
func last(b []byte) string { return around(b, len(b), len(b)) }

// printable removes terminal sequences, ends lines with \n alone, turns whatever else is not printable, or not UTF-8, into a question mark, and
// keeps at most limit bytes. Newlines and tabs stay.
func printable(b []byte, limit int) string {
	s := ansi.ReplaceAllString(string(b), "")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.Map(func(r rune) rune {
		if r == '\r' {
			return '\n'
		}
		if r == '\n' || r == '\t' || r != utf8.RuneError && unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, s)
	return clip(s, limit)
}

// line gives s on one printable line of at most MaxReason bytes.
func line(s string) string {
	s = printable([]byte(clip(s, 4*MaxReason)), 4*MaxReason)
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > MaxReason {
		s = clip(s, MaxReason-len("…")) + "…"
	}
	return s
}

// firstLine gives the first line of s that is not blank.
func firstLine(s string) string {
	for l := range strings.Lines(s) {
		if l = strings.TrimSpace(l); l != "" {
			return l
		}
	}
	return ""
}

// clip gives the longest prefix of whole runes within limit bytes.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}
