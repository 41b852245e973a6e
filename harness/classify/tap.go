package classify

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strconv"
)

// The lines of TAP 12, 13 and 14 that carry results. Everything else, and everything indented (subtests, whose result
// stands on the line after them, and YAML), is no result.
var (
	tapPlan      = regexp.MustCompile(`^1\.\.(\d{1,9})\s*(?:#.*)?$`)
	tapTest      = regexp.MustCompile(`^(not )?ok\b[ \t]*(\d{1,9}\b)?[ \t]*(?:-[ \t]*)?(.*)$`)
	tapVersion   = regexp.MustCompile(`^TAP version \d+\s*$`)
	tapBail      = regexp.MustCompile(`^Bail out!\s*(.*)$`)
	tapDirective = regexp.MustCompile(`(?i)(?:^|[^\\])#[ \t]*(skip|todo)`)
)

// maxTAPLine bounds a line, in bytes; the rest of a longer one is dropped, as only a description is that long.
const maxTAPLine = 64 << 10

// tapReader reads a stream of TAP documents, one after another as several producers write them.
type tapReader struct {
	f    findings
	any  bool // a plan or a test was seen
	plan int  // of this document; -1 means none yet
	seen int  // tests of this document

	detail  []byte // the lines from the first failed test on
	collect bool
}

// readTAP reads TAP. A document without a plan, or with other than the planned tests, is in doubt; "Bail out!" is
// unreadable unless a test failed before it. A failed TODO test counts as skipped.
func readTAP(r io.Reader) findings {
	t := &tapReader{plan: -1}
	lines := newLineReader(r, maxTAPLine)
	for {
		l, err := lines.next()
		if err != nil {
			break
		}
		t.line(l)
		if t.f.unreadable != "" {
			t.f.spot = head(l)
			return t.f
		}
	}
	t.close()
	if !t.any {
		t.f.missing, t.f.doubt = "there is no TAP in it", ""
	}
	if t.f.failed > 0 {
		t.f.first.excerpt = head(t.detail)
	}
	return t.f
}

// line takes one line.
func (t *tapReader) line(l []byte) {
	if t.collect && len(t.detail) < MaxExcerpt {
		t.detail = append(append(t.detail, l...), '\n')
	}
	if len(l) == 0 || l[0] == ' ' || l[0] == '\t' {
		return
	}
	if m := tapPlan.FindSubmatch(l); m != nil {
		t.planned(m[1])
	} else if m := tapTest.FindSubmatch(l); m != nil {
		t.test(l, len(m[1]) > 0, m[2], m[3])
	} else if m := tapBail.FindSubmatch(l); m != nil && t.f.failed == 0 {
		t.f.unreadable = fmt.Sprintf("bailed out: %s", m[1])
	} else if tapVersion.Match(l) && t.complete() {
		t.open()
	}
}

// planned takes a plan: of this document, or of the next one when this one is complete.
func (t *tapReader) planned(digits []byte) {
	n, _ := strconv.Atoi(string(digits)) // at most nine digits
	if t.complete() {
		t.open()
	}
	if t.plan >= 0 {
		t.doubt("a second plan while the first has %d of %d tests", t.seen, t.plan)
		return
	}
	t.any, t.plan = true, n
	t.check()
}

// test takes a test line.
func (t *tapReader) test(l []byte, not bool, number, rest []byte) {
	if t.complete() {
		if !not && bytes.Equal(bytes.TrimSpace(l), []byte("ok")) {
			return // prove's own line under a test file that passed
		}
		if string(number) == "1" {
			t.open()
		}
	}
	t.any = true
	t.seen++
	directive := tapDirective.FindSubmatch(rest)
	switch {
	case directive != nil && (not || bytes.EqualFold(directive[1], []byte("skip"))):
		t.f.skipped++
	case not:
		name := string(rest)
		if name == "" {
			name = "test " + strconv.Itoa(t.seen)
		}
		t.f.fail(failure{name: name})
		if !t.collect {
			t.collect, t.detail = true, append(append(t.detail, l...), '\n')
		}
	default:
		t.f.passed++
	}
	t.check()
}

// check finds more tests than the plan has.
func (t *tapReader) check() {
	if t.plan >= 0 && t.seen > t.plan {
		t.doubt("%d tests where %d were planned", t.seen, t.plan)
	}
}

// doubt notes why the results do not add up; the first reason stays.
func (t *tapReader) doubt(format string, args ...any) {
	if t.f.doubt == "" {
		t.f.doubt = fmt.Sprintf(format, args...)
	}
}

// complete reports whether this document has all its tests.
func (t *tapReader) complete() bool { return t.plan >= 0 && t.seen == t.plan }

// open begins the next document.
func (t *tapReader) open() { t.plan, t.seen = -1, 0 }

// close ends the stream.
func (t *tapReader) close() {
	switch {
	case t.plan < 0 && t.seen == 0 && t.any: // the next document's version line alone
		t.doubt("a document without a plan and tests")
	case t.plan < 0:
		t.doubt("no plan after %d tests", t.seen)
	case t.seen < t.plan:
		t.doubt("%d of %d planned tests", t.seen, t.plan)
	}
}
