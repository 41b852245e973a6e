package classify

import (
	"strings"
	"testing"
)

func TestTAP(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"version 12":                 {"1..3\nok 1\nnot ok 2 - second\nok 3 - third # not a directive\n", "2 passed 1 failed 0 skipped, first second failed"},
		"version 13":                 {"TAP version 13\n1..1\nok 1 - a\n  ---\n  message: not ok 7\n  ...\n", "1 passed 0 failed 0 skipped"},
		"version 14, subtests":       {"TAP version 14\n1..1\n# Subtest: s\n    1..2\n    ok 1\n    not ok 2\nnot ok 1 - s\n", "0 passed 1 failed 0 skipped, first s failed"},
		"plan at the end":            {"ok 1\nok 2\n1..2\n", "2 passed 0 failed 0 skipped"},
		"directives":                 {"1..6\nok 1 # SKIP no\nok 2 a # skipped for now\nnot ok 3 # TODO later\nok 4 b # todo\nok 5 \\# SKIP\nnot ok 6 c # SKIP\n", "2 passed 0 failed 4 skipped"},
		"without numbers":            {"1..2\nok - a\nnot ok\n", "1 passed 1 failed 0 skipped, first test 2 failed"},
		"windows line ends":          {"1..1\r\nnot ok 1 - a\r\n", "0 passed 1 failed 0 skipped, first a failed"},
		"skip all":                   {"1..0 # SKIP no database\n", "0 passed 0 failed 0 skipped"},
		"words that only look alike": {"1..1\nokay\nnot okay\nok 1\n", "1 passed 0 failed 0 skipped"},
		"too few":                    {"1..3\nok 1\n", "1 passed 0 failed 0 skipped, doubt: 1 of 3 planned tests"},
		"too many":                   {"1..1\nok 1\nok 2\nok 3\n", "3 passed 0 failed 0 skipped, doubt: 2 tests where 1 were planned"},
		"too many for a late plan":   {"ok 1\nok 2\n1..1\n", "2 passed 0 failed 0 skipped, doubt: 2 tests where 1 were planned"},
		"no plan":                    {"ok 1\nok 2\n", "2 passed 0 failed 0 skipped, doubt: no plan after 2 tests"},
		"two plans":                  {"1..2\nok 1\n1..2\n", "1 passed 0 failed 0 skipped, doubt: a second plan while the first has 1 of 2 tests"},
		"bails out":                  {"1..2\nok 1\nBail out! no database\nok 2\n", "1 passed 0 failed 0 skipped, unreadable: bailed out: no database"},
		"bails out after a failure":  {"1..2\nnot ok 1 - a\nBail out! enough\n", "0 passed 1 failed 0 skipped, doubt: 1 of 2 planned tests, first a failed"},
		"no TAP":                     {"hello\n", "0 passed 0 failed 0 skipped, missing: there is no TAP in it"},
		"nothing":                    {"", "0 passed 0 failed 0 skipped, missing: there is no TAP in it"},
		"two documents":              {"TAP version 13\n1..1\nok 1\nTAP version 13\n1..2\nok 1\nnot ok 2 - b\n", "2 passed 1 failed 0 skipped, first b failed"},
		"two documents, late plans":  {"ok 1\n1..1\nok 1\nok 2\n1..2\n", "3 passed 0 failed 0 skipped"},
		"second document is cut off": {"1..1\nok 1\n1..2\nok 1\n", "2 passed 0 failed 0 skipped, doubt: 1 of 2 planned tests"},
		"second document is a stub":  {"1..1\nok 1\nTAP version 13\n", "1 passed 0 failed 0 skipped, doubt: a document without a plan and tests"},
		"prove's own ok":             {"a.t ..\n1..1\nok 1\nok\nAll tests successful.\n", "1 passed 0 failed 0 skipped"},
		"a plan beyond all numbers":  {"1..99999999999\nok 1\n", "1 passed 0 failed 0 skipped, doubt: no plan after 1 tests"},
		"a line that never ends":     {"1..1\nnot ok 1 - " + strings.Repeat("x", 1<<20), "0 passed 1 failed 0 skipped, first " + strings.Repeat("x", maxTAPLine-len("not ok 1 - ")) + " failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := counted(readTAP(strings.NewReader(c.in))); got != c.want {
				t.Errorf("got  %.300s\nwant %.300s", got, c.want)
			}
		})
	}
}

func TestTAPExcerpt(t *testing.T) {
	t.Parallel()
	f := readTAP(strings.NewReader("1..3\nok 1\nnot ok 2 - b\n  ---\n  got: 3\n  ...\nok 3\n"))
	if want := "not ok 2 - b\n  ---\n  got: 3\n  ...\nok 3\n"; f.first.excerpt != want {
		t.Errorf("got %q, want %q", f.first.excerpt, want)
	}
}
