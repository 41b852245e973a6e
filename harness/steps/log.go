package steps

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// The bounds of what an answer may put into a log line, a message, or the value of a comparison, in bytes.
const (
	maxLine    = 2000
	maxLogged  = 400
	maxMessage = 600
	maxShown   = 100
)

// excerpt is the first bytes of a text that others wrote, on one line and without anything that a terminal would obey.
func excerpt(text []byte, most int) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		if b.Len() >= most {
			b.WriteString("…")
			break
		}
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += size
	}
	return b.String()
}

// logger writes what a person reads to follow a trial. What cannot be written is not worth failing a trial for.
type logger struct {
	to    io.Writer
	clock func() time.Time
	begin time.Time
}

// step says what begins.
func (l logger) step(format string, args ...any) {
	fmt.Fprintln(l.to, excerpt(fmt.Appendf(nil, format, args...), maxLine))
}

// line says what came of it, with the time since the trial's begin.
func (l logger) line(format string, args ...any) {
	l.step("  %8.3f s  %s", l.clock().Sub(l.begin).Seconds(), fmt.Sprintf(format, args...))
}

// milliseconds is how durations are shown and reported.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func shown(d time.Duration) string { return fmt.Sprintf("%.1f ms", milliseconds(d)) }
