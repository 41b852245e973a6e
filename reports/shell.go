package reports

import (
	"fmt"
	"strings"
)

// shellLine writes words as one line that a shell (bash, zsh, ksh) reads as the same words. Control characters, which
// could move a terminal's cursor or hide what is run, are spelled out.
func shellLine(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = shellWord(w)
	}
	return strings.Join(out, " ")
}

func shellWord(w string) string {
	if strings.ContainsFunc(w, unprintable) {
		return dollarQuoted(w)
	}
	if w == "" || strings.ContainsAny(w, " '\"\\$`!*?[]{}()<>|&;#~=%^@") && !plain(w) {
		return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return w
}

// plain reports whether a word that holds marks needs no quotes all the same, such as --seed=7.
func plain(w string) bool {
	return !strings.ContainsAny(w, " '\"\\$`!*?[]{}()<>|&;#~") && !strings.HasPrefix(w, "=")
}

func dollarQuoted(w string) string {
	var b strings.Builder
	b.WriteString("$'")
	for i := 0; i < len(w); i++ {
		switch c := w[i]; {
		case c == '\'' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('\'')
	return b.String()
}
