package classify

import (
	"encoding/xml"
	"hash/fnv"
	"strconv"
	"strings"
)

// junitSuite is an open testsuite or testsuites element: what its attributes declare and what was found in it.
type junitSuite struct {
	name                                      string
	declared, declaredFailed, declaredSkipped int             // tests; 0 when it does not say
	shown, shownFailed                        int             // testcases, also of suites inside it
	listed, skipped                           int             // testcases of its own: that were not skipped, and that were
	ids                                       map[uint64]bool // of these tests, whether it failed
	repeated                                  []repeated      // the first tests that are listed more than once
}

// repeated is a test that its suite lists more than once.
type repeated struct {
	id    uint64
	label string
}

func newJUnitSuite(e xml.StartElement) *junitSuite {
	return &junitSuite{
		name:            clip(attribute(e, "name"), maxJUnitName),
		declared:        count(e, "tests"),
		declaredFailed:  count(e, "failures") + count(e, "errors"),
		declaredSkipped: count(e, "skipped") + count(e, "disabled"),
		ids:             map[uint64]bool{},
	}
}

// list notes a testcase that was not skipped.
func (s *junitSuite) list(t *junitTest, failed bool) {
	s.listed++
	h := fnv.New64a()
	h.Write([]byte(t.id()))
	id := h.Sum64()
	was, known := s.ids[id]
	if known && len(s.repeated) < 100 {
		s.repeated = append(s.repeated, repeated{id, t.label()})
	}
	s.ids[id] = was || failed
}

// retried gives a test that passed after a retry that the file does not show: it is listed several times, never as
// failed, while the suite declares fewer tests than it lists.
func (s *junitSuite) retried() (label string, is bool) {
	for _, r := range s.repeated {
		if s.declared > 0 && s.listed > s.declared && !s.ids[r.id] {
			return r.label, true
		}
	}
	return "", false
}

// junitTest is an open testcase element, or a problem that stands outside one.
type junitTest struct {
	class, name    string
	of             int  // depth of the element of a problem outside a testcase; 0 for a testcase
	failed         bool // failure or error, or a rerun that failed without them
	flaky          bool // a retry passed
	skipped, known bool // known: a failure that was expected
	message        string
	said           []byte // of the first problem
	kinds          int    // problems so far
}

func newJUnitTest(e xml.StartElement) *junitTest {
	t := &junitTest{class: clip(attribute(e, "classname"), maxJUnitName), name: clip(attribute(e, "name"), maxJUnitName)}
	switch strings.ToLower(attribute(e, "status")) {
	case "notrun", "disabled", "skipped", "ignored":
		t.skipped = true
	}
	switch strings.ToLower(attribute(e, "result")) {
	case "suppressed", "skipped":
		t.skipped = true
	}
	return t
}

// problemElement reports whether the element says that a run of a test failed.
func problemElement(name string) bool {
	switch name {
	case "failure", "error", "rerunFailure", "rerunError", "flakyFailure", "flakyError":
		return true
	}
	return false
}

// textElement reports whether the element's text is output or says what failed.
func textElement(name string) bool {
	return problemElement(name) || name == "system-out" || name == "system-err" || name == "stackTrace"
}

// start takes an element inside the test.
func (t *junitTest) start(name string, e xml.StartElement) {
	switch name {
	case "failure", "error", "rerunFailure", "rerunError":
		t.failed = true
	case "flakyFailure", "flakyError":
		t.flaky = true
	case "skipped":
		t.skipped = true
		t.known = attribute(e, "type") == "todo"
	}
	if problemElement(name) {
		if t.kinds++; t.kinds == 1 {
			t.message = attribute(e, "message")
			if t.message == "" {
				t.message = attribute(e, "type")
			}
		}
	}
}

// say keeps the text of the first problem.
func (t *junitTest) say(path []string, text []byte) {
	if t.kinds != 1 || len(t.said) >= MaxExcerpt {
		return
	}
	for _, name := range path {
		if problemElement(name) {
			t.said = append(t.said, text[:min(len(text), MaxExcerpt)]...)
			return
		}
	}
}

// skips reports whether the test says nothing: it was skipped, or failed as expected.
func (t *junitTest) skips() bool { return t.skipped && (t.known || !t.failed) }

func (t *junitTest) id() string { return t.class + "\x00" + t.name }

// label names the test for people.
func (t *junitTest) label() string {
	if t.class == "" || t.name == "" {
		return t.class + t.name
	}
	return t.class + "." + t.name
}

func (t *junitTest) failure() failure {
	f := failure{name: t.label(), message: clip(t.message, 4*MaxReason)}
	if firstLine(f.message) == "" {
		f.message = clip(string(t.said), 4*MaxReason)
	}
	if t.flaky && !t.failed {
		f.message = "passed after a retry inside the test tool: " + firstLine(f.message)
	}
	if said := string(t.said); strings.Contains(said, t.message) {
		f.excerpt = head(t.said)
	} else {
		f.excerpt = head([]byte(t.message + "\n" + said))
	}
	return f
}

// attribute gives an attribute's value, "" when it is absent.
func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// count gives an attribute that counts, 0 when it does not.
func count(e xml.StartElement, name string) int {
	n, err := strconv.Atoi(strings.TrimSpace(attribute(e, name)))
	if err != nil || n < 0 || n > 1_000_000_000 {
		return 0
	}
	return n
}
