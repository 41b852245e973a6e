package classify

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
)

// The bounds of reading JUnit XML.
const (
	maxJUnitDepth    = 64
	maxJUnitTests    = 1_000_000 // of one file
	maxJUnitFailures = 1_000     // of one file that a later pass of the same test could take back; further ones stay
	maxJUnitName     = 1 << 10   // bytes of a test's name
)

// junitReader reads one JUnit XML file.
type junitReader struct {
	f           findings
	retriedPass bool
	text        io.Writer // gets what tests print and what failed ones say; nil when nobody wants it

	root     bool     // was there
	path     []string // open elements, outermost first
	suites   []*junitSuite
	test     *junitTest // the open one
	tests    int
	failures []junitFailure  // that may be taken back, in file order; only where a retried pass is a pass
	passed   map[string]bool // of their tests, whether it passed later
}

// junitFailure is a failure and the test it is of.
type junitFailure struct {
	id string
	failure
}

// readJUnit reads JUnit XML as Ant, Surefire, Gradle, pytest, node and others write it. It has no standard; this is what
// counts. A testcase with failure or error failed. One with flakyFailure or flakyError, or one that its suite lists
// several times while it declares fewer tests, passed after a retry. One with skipped, or that says it was not run,
// counts as skipped. Unreadable are a file that is cut off or is no JUnit XML, a suite that declares failures or tests
// and lists none, and tests that could not be loaded (pytest's collection failure).
func readJUnit(r io.Reader, retriedPass bool, text io.Writer) findings {
	j := &junitReader{retriedPass: retriedPass, text: text, passed: map[string]bool{}}
	clean := newXMLText(r)
	for d := xml.NewDecoder(clean); j.f.unreadable == ""; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			j.f.unreadable = fmt.Sprintf("line %d: %s", clean.line, xmlProblem(err))
			break
		}
		switch t := token.(type) {
		case xml.StartElement:
			j.start(t)
		case xml.EndElement:
			j.end(t.Name.Local)
		case xml.CharData:
			j.chars(t)
		}
	}
	if !j.root && j.f.unreadable == "" {
		j.f.unreadable = "it is empty"
	}
	for _, x := range j.failures {
		if !j.passed[x.id] {
			j.f.fail(x.failure)
		}
	}
	return j.f
}

// xmlProblem says what is wrong, without the parser's own idea of the line.
func xmlProblem(err error) string {
	var syntax *xml.SyntaxError
	switch {
	case errors.As(err, &syntax) && syntax.Msg == "unexpected EOF", errors.Is(err, io.ErrUnexpectedEOF):
		return "it is cut off"
	case errors.As(err, &syntax):
		return syntax.Msg
	}
	return err.Error()
}

// start takes the start of an element.
func (j *junitReader) start(e xml.StartElement) {
	name := e.Name.Local
	switch {
	case len(j.path) == maxJUnitDepth:
		j.f.unreadable = fmt.Sprintf("elements more than %d deep", maxJUnitDepth)
	case len(j.path) == 0 && j.root:
		j.f.unreadable = "a second document in one file"
	case len(j.path) == 0 && name != "testsuites" && name != "testsuite":
		j.f.unreadable = fmt.Sprintf("it is no JUnit XML: its root is %q", clip(name, 100))
	case name == "testcase" && (j.test != nil || len(j.path) == 0):
		j.f.unreadable = "a testcase inside a testcase"
	case name == "testcase":
		j.test = newJUnitTest(e)
		if j.tests++; j.tests > maxJUnitTests {
			j.f.unreadable = fmt.Sprintf("more than %d tests", maxJUnitTests)
		}
	case name == "testsuite" || name == "testsuites":
		j.suites = append(j.suites, newJUnitSuite(e))
	case j.test != nil:
		j.test.start(name, e)
	case problemElement(name) && len(j.path) > 0: // of a whole suite
		j.test = &junitTest{name: "suite " + j.suites[len(j.suites)-1].name, of: len(j.path)}
		j.test.start(name, e)
	}
	j.root = true
	j.path = append(j.path, name)
	if problemElement(name) {
		j.print([]byte(attribute(e, "message") + "\n"))
	}
}

// end takes the end of an element.
func (j *junitReader) end(name string) {
	j.path = j.path[:len(j.path)-1]
	switch {
	case name == "testcase" || j.test != nil && j.test.of == len(j.path) && j.test.of > 0:
		j.endTest(j.test)
		j.test = nil
	case name == "testsuite" || name == "testsuites":
		s := j.suites[len(j.suites)-1]
		j.suites = j.suites[:len(j.suites)-1]
		j.endSuite(s)
	case textElement(name):
		j.print([]byte("\n"))
	}
}

// chars takes text.
func (j *junitReader) chars(text []byte) {
	switch {
	case len(j.path) == 0:
		if len(bytes.TrimSpace(text)) > 0 {
			j.f.unreadable = "text outside the document"
		}
	case textElement(j.path[len(j.path)-1]):
		j.print(text)
		if j.test != nil {
			j.test.say(j.path, text)
		}
	}
}

func (j *junitReader) print(text []byte) {
	if j.text != nil {
		_, _ = j.text.Write(text) // a search never fails
	}
}

// endTest counts a test.
func (j *junitReader) endTest(t *junitTest) {
	s := j.suites[len(j.suites)-1] // there is one: the root is a suite
	s.shown++
	switch {
	case t.skips():
		j.f.skipped++
		s.skipped++
		if t.failed {
			s.shownFailed++ // a test of which failing was expected
		}
		return
	case t.failed && t.class == "" && t.message == "collection failure":
		j.f.unreadable, j.f.spot = fmt.Sprintf("%s could not be loaded", t.name), t.failure().excerpt
		return
	case t.failed:
		s.shownFailed++
		j.fail(t)
	case t.flaky && !j.retriedPass:
		j.fail(t)
	default:
		j.f.passed++
		if _, failed := j.passed[t.id()]; failed {
			j.passed[t.id()] = true
		}
	}
	s.list(t, t.failed || t.flaky)
}

// fail counts a failed test.
func (j *junitReader) fail(t *junitTest) {
	if j.retriedPass && len(j.failures) < maxJUnitFailures {
		j.passed[t.id()] = false
		j.failures = append(j.failures, junitFailure{t.id(), t.failure()})
		return
	}
	j.f.fail(t.failure())
}

// endSuite checks a suite's attributes against what it listed, and adds it to the one around it.
func (j *junitReader) endSuite(s *junitSuite) {
	switch {
	case s.declaredFailed > 0 && s.shownFailed == 0:
		j.f.unreadable = fmt.Sprintf("suite %q declares %d failures and lists none", s.name, s.declaredFailed)
	case s.declared > s.declaredSkipped && s.shown == 0:
		j.f.unreadable = fmt.Sprintf("suite %q declares %d tests and lists none", s.name, s.declared)
	}
	if label, is := s.retried(); is && !j.retriedPass {
		j.f.fail(failure{name: label, message: fmt.Sprintf(
			"passed after a retry inside the test tool: its suite lists %d results for %d tests", s.listed, s.declared)})
	}
	if len(j.suites) > 0 {
		outer := j.suites[len(j.suites)-1]
		outer.shown, outer.shownFailed = outer.shown+s.shown, outer.shownFailed+s.shownFailed
	}
}
