package classify

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPrintable(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain\ttext\n": "plain\ttext\n",
		"\x1b[1;31mred\x1b[0m \x1b]0;title\x07done": "red done",
		"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\":  "link",
		"50%\rdone\r\nnext":                         "50%\ndone\nnext",
		"nul\x00 bad\xff\xfe bell\a":                "nul? bad?? bell?",
		"flip \u202e over \u200b":                   "flip ? over ?",
		"日本 é":                                      "日本 é",
	} {
		if got := printable([]byte(in), 100); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	if got := printable([]byte("aé"), 2); got != "a" {
		t.Errorf("cut inside a character: %q", got)
	}
}

func TestAround(t *testing.T) {
	t.Parallel()
	text := []byte(strings.Repeat("é", 5000))
	for _, at := range []int{0, 1, 999, 5001, 9999, 10000} {
		got := around(text, at, at)
		if strings.Contains(got, "?") && at%2 == 0 || !utf8.ValidString(got) || len(got) > MaxExcerpt || len(got) < MaxExcerpt-4 {
			t.Errorf("at %d: %d bytes, %.10q … %q", at, len(got), got, got[len(got)-6:])
		}
	}
	marked := []byte(strings.Repeat("a", 5000) + "MATCH" + strings.Repeat("b", 5000))
	if got := around(marked, 5000, 5005); strings.Index(got, "MATCH") != 997 || len(got) != MaxExcerpt {
		t.Errorf("the match is at %d of %d", strings.Index(got, "MATCH"), len(got))
	}
	if got := around(marked, 0, len(marked)); got != strings.Repeat("a", MaxExcerpt) {
		t.Errorf("of a long match: %.10q", got)
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	if got := line("two\n\n  lines\t\x1b[1mx"); got != "two lines x" {
		t.Errorf("%q", got)
	}
	long := line(strings.Repeat("é ", 400))
	if len(long) > MaxReason || !strings.HasSuffix(long, "…") || !utf8.ValidString(long) {
		t.Errorf("%d bytes: %q", len(long), long)
	}
}
