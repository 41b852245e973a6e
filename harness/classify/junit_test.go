package classify

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

// counted says what findings hold.
func counted(f findings) string {
	s := fmt.Sprintf("%d passed %d failed %d skipped", f.passed, f.failed, f.skipped)
	for _, why := range []struct{ what, why string }{{"missing", f.missing}, {"doubt", f.doubt}, {"unreadable", f.unreadable}} {
		if why.why != "" {
			s += ", " + why.what + ": " + why.why
		}
	}
	if f.failed > 0 {
		s += ", first " + f.first.String()
	}
	return s
}

func TestJUnit(t *testing.T) {
	t.Parallel()
	suite := func(attributes, inner string) string {
		return "<testsuite " + attributes + ">" + inner + "</testsuite>"
	}
	for name, c := range map[string]struct{ xml, want, retried string }{
		"nested suites": {
			xml:  `<testsuites><testsuite name="o" tests="2"><testcase name="a"/><testsuite tests="1"><testcase name="b"><error>bad</error></testcase></testsuite></testsuite></testsuites>`,
			want: "1 passed 1 failed 0 skipped, first b failed: bad",
		},
		"failure and error in one test":     {xml: suite("", `<testcase classname="c" name="a"><failure type="T"/><error message="e"/></testcase>`), want: "0 passed 1 failed 0 skipped, first c.a failed: T"},
		"problem of a whole suite":          {xml: suite(`name="s" errors="1"`, `<error message="no start">detail</error>`), want: "0 passed 1 failed 0 skipped, first suite s failed: no start"},
		"flaky":                             {xml: suite(`tests="1"`, `<testcase name="a"><flakyFailure message="m"/></testcase>`), want: "0 passed 1 failed 0 skipped, first a failed: passed after a retry inside the test tool: m", retried: "1 passed 0 failed 0 skipped"},
		"rerun that failed":                 {xml: suite(`tests="1"`, `<testcase name="a"><rerunFailure message="m"/></testcase>`), want: "0 passed 1 failed 0 skipped, first a failed: m", retried: "0 passed 1 failed 0 skipped, first a failed: m"},
		"two results, the last passes":      {xml: suite(`tests="1" failures="1"`, `<testcase name="a"><failure message="m"/></testcase><testcase name="a"/>`), want: "1 passed 1 failed 0 skipped, first a failed: m", retried: "1 passed 0 failed 0 skipped"},
		"two results, the last fails":       {xml: suite(`tests="1" failures="1"`, `<testcase name="a"/><testcase name="a"><failure message="m"/></testcase>`), want: "1 passed 1 failed 0 skipped, first a failed: m", retried: "1 passed 1 failed 0 skipped, first a failed: m"},
		"fails, passes, fails":              {xml: suite("", `<testcase name="a"><failure message="m"/></testcase><testcase name="a"/><testcase name="a"><failure message="n"/></testcase>`), want: "1 passed 2 failed 0 skipped, first a failed: m", retried: "1 passed 2 failed 0 skipped, first a failed: m"},
		"hidden retry":                      {xml: suite(`tests="2"`, `<testcase name="a"/><testcase name="a"/><testcase name="b"/>`), want: "3 passed 1 failed 0 skipped, first a failed: passed after a retry inside the test tool: its suite lists 3 results for 2 tests", retried: "3 passed 0 failed 0 skipped"},
		"same name, as many as declared":    {xml: suite(`tests="2"`, `<testcase name="a"/><testcase name="a"/>`), want: "2 passed 0 failed 0 skipped"},
		"more than declared, other names":   {xml: suite(`tests="1"`, `<testcase name="a"/><testcase name="b"/>`), want: "2 passed 0 failed 0 skipped"},
		"skipped and not run":               {xml: suite(`tests="4" skipped="1"`, `<testcase name="a"><skipped/></testcase><testcase name="b" status="notrun"/><testcase name="c" result="suppressed"/><testcase name="d" status="run"/>`), want: "1 passed 0 failed 3 skipped"},
		"skipped and failed":                {xml: suite("", `<testcase name="a"><skipped/><failure/></testcase>`), want: "0 passed 1 failed 0 skipped, first a failed"},
		"todo and failed":                   {xml: suite(`failures="1"`, `<testcase name="a"><skipped type="todo"/><failure/></testcase>`), want: "0 passed 0 failed 1 skipped"},
		"zero tests":                        {xml: suite(`tests="0"`, ""), want: "0 passed 0 failed 0 skipped"},
		"declares a failure":                {xml: suite(`name="s" tests="1" failures="1"`, `<testcase name="a"/>`), want: `1 passed 0 failed 0 skipped, unreadable: suite "s" declares 1 failures and lists none`},
		"declares tests":                    {xml: suite(`name="s" tests="3" skipped="1"`, ""), want: `0 passed 0 failed 0 skipped, unreadable: suite "s" declares 3 tests and lists none`},
		"could not be loaded":               {xml: suite("", `<testcase classname="" name="m"><error message="collection failure">ImportError</error></testcase>`), want: "0 passed 0 failed 0 skipped, unreadable: m could not be loaded"},
		"empty":                             {want: "0 passed 0 failed 0 skipped, unreadable: it is empty"},
		"blank":                             {xml: "\n \n", want: "0 passed 0 failed 0 skipped, unreadable: it is empty"},
		"no XML":                            {xml: "Tests passed.", want: "0 passed 0 failed 0 skipped, unreadable: text outside the document"},
		"other XML":                         {xml: "<project/>", want: `0 passed 0 failed 0 skipped, unreadable: it is no JUnit XML: its root is "project"`},
		"testcase as root":                  {xml: `<testcase name="a"/>`, want: `0 passed 0 failed 0 skipped, unreadable: it is no JUnit XML: its root is "testcase"`},
		"cut off after a test":              {xml: "<testsuite>\n" + `<testcase name="a"/>` + "\n", want: "1 passed 0 failed 0 skipped, unreadable: line 3: it is cut off"},
		"cut off in a tag":                  {xml: `<testsuite><testcase name="a`, want: "0 passed 0 failed 0 skipped, unreadable: line 1: it is cut off"},
		"cut off in CDATA":                  {xml: `<testsuite><system-out><![CDATA[abc`, want: "0 passed 0 failed 0 skipped, unreadable: line 1: it is cut off"},
		"cut off in a comment":              {xml: `<testsuite/><!-- abc`, want: "0 passed 0 failed 0 skipped, unreadable: line 1: it is cut off"},
		"wrong end":                         {xml: `<testsuite></testsuites>`, want: "0 passed 0 failed 0 skipped, unreadable: line 1: element <testsuite> closed by </testsuites>"},
		"two documents":                     {xml: `<testsuite/><testsuite/>`, want: "0 passed 0 failed 0 skipped, unreadable: a second document in one file"},
		"testcase in a testcase":            {xml: suite("", `<testcase name="a"><testcase name="b"/></testcase>`), want: "0 passed 0 failed 0 skipped, unreadable: a testcase inside a testcase"},
		"too deep":                          {xml: strings.Repeat("<testsuite>", 1000), want: "0 passed 0 failed 0 skipped, unreadable: elements more than 64 deep"},
		"UTF-16":                            {xml: "\xff\xfe<\x00t\x00", want: "0 passed 0 failed 0 skipped, unreadable: line 1: encoding UTF-16 is not supported"},
		"unknown encoding":                  {xml: `<?xml version="1.0" encoding="EBCDIC"?><testsuite/>`, want: `0 passed 0 failed 0 skipped, unreadable: line 1: encoding "ebcdic" is not supported`},
		"entity bomb":                       {xml: `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><testsuite/>`, want: "0 passed 0 failed 0 skipped, unreadable: line 1: it has a document type declaration, which is refused"},
		"too many attributes":               {xml: "<testsuite " + strings.Repeat(`a="" `, 1000) + "/>", want: "0 passed 0 failed 0 skipped, unreadable: line 1: it has a tag with too many attributes"},
		"raw control characters":            {xml: "<?xml version='1.1' encoding='UTF-8'?>\n" + suite("", "<testcase name='a\x1bb'><failure message='bell &#7; &#x1b;[31m &unknown; & \xff'>nul \x00</failure></testcase>"), want: "0 passed 1 failed 0 skipped, first a?b failed: bell ? ?[31m &unknown; & ?"},
		"latin 1":                           {xml: `<?xml version="1.0" encoding="ISO-8859-1"?>` + suite("", "<testcase name='caf\xe9'><failure/></testcase>"), want: "0 passed 1 failed 0 skipped, first café failed"},
		"byte order mark":                   {xml: "\ufeff" + suite("", `<testcase name="a"/>`), want: "1 passed 0 failed 0 skipped"},
		"unescaped marks that parsers hate": {xml: suite("", `<testcase name="a < b"><failure message="x"> ]]> </failure></testcase>`), want: "0 passed 1 failed 0 skipped, first a < b failed: x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := counted(readJUnit(strings.NewReader(c.xml), false, nil)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if c.retried == "" {
				return
			}
			if got := counted(readJUnit(strings.NewReader(c.xml), true, nil)); got != c.retried {
				t.Errorf("where a retried pass is a pass: got  %s\nwant %s", got, c.retried)
			}
		})
	}
}

// TestJUnitCutOffAnywhere cuts a good file at every byte: nothing but the whole of it is readable.
func TestJUnitCutOffAnywhere(t *testing.T) {
	t.Parallel()
	const whole = `<?xml version="1.0"?><testsuites><testsuite tests="2" failures="1"><testcase name="a"/><testcase name="b">` +
		`<failure message="m &amp; n"><![CDATA[x]]></failure><system-out>é</system-out></testcase><!-- end --></testsuite></testsuites>`
	for n := range len(whole) {
		if f := readJUnit(strings.NewReader(whole[:n]), false, nil); f.unreadable == "" {
			t.Errorf("cut at %d: %s", n, counted(f))
		}
	}
	if f := readJUnit(strings.NewReader(whole), false, nil); f.unreadable != "" || f.failed != 1 {
		t.Error(counted(f))
	}
}

// TestJUnitText gives the search what tests print and what failed ones say, in order.
func TestJUnitText(t *testing.T) {
	t.Parallel()
	const xml = `<testsuite><properties><property name="p" value="v"/></properties>ignored<testcase name="a"><failure message="one">two<![CDATA[ <&]]> ]]&gt;</failure>` +
		`<system-out>three</system-out></testcase><testcase name="b"><flakyError message="four"><stackTrace>five</stackTrace></flakyError></testcase><system-err>six</system-err></testsuite>`
	var got strings.Builder
	readJUnit(strings.NewReader(xml), false, &got)
	if want := "one\ntwo <& ]]>\nthree\nfour\nfive\n\nsix\n"; got.String() != want {
		t.Errorf("got %q, want %q", got.String(), want)
	}
}

// repeatReader gives head, then count times body, then an error. There it measures what its reader holds.
type repeatReader struct {
	head, body string
	count      int
	rest       string
	live       uint64 // bytes of live heap at the end; 0 when the end was not reached
}

func (r *repeatReader) Read(p []byte) (int, error) {
	if r.rest == "" {
		switch {
		case r.head != "":
			r.rest, r.head = r.head, ""
		case r.count > 0:
			r.rest = r.body
			r.count--
		default:
			r.live = liveHeap()
			return 0, io.ErrUnexpectedEOF
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// TestResultsInBoundedMemory reads 4 MB of the worst of each kind. What the kind comes to does not matter here.
func TestResultsInBoundedMemory(t *testing.T) {
	const size = 4 << 20
	kilo := strings.Repeat("x", 1<<10)
	for _, c := range []struct {
		name, head, body string
		bound            int64 // bytes held at the end
		read             func(r *repeatReader) findings
	}{
		{"JUnit, one text", "<testsuite><system-out>", kilo, 1 << 20, junitOf},
		{"JUnit, one CDATA", "<testsuite><system-out><![CDATA[", kilo, 1 << 20, junitOf},
		{"JUnit, one value", `<testsuite><testcase name="`, kilo, 1 << 20, junitOf},
		{"JUnit, one tag", `<testsuite `, kilo, 1 << 20, junitOf},
		{"JUnit, one comment", `<testsuite><!--`, kilo, 1 << 20, junitOf},
		{"JUnit, attributes", `<testsuite `, `a="" `, 1 << 20, junitOf},
		{"JUnit, depth", `<testsuite>`, `<a>`, 1 << 20, junitOf},
		{"JUnit, failures", `<testsuite>`, `<testcase name="` + kilo + `"><failure message="` + kilo + `"/></testcase>`, 6 << 20, junitOf},
		{"JUnit, problems of one test", `<testsuite><testcase>`, `<failure message="` + kilo + `">` + kilo + `</failure>`, 1 << 20, junitOf},
		{"go test, one line", `{"Action":"`, kilo, 2 << 20, goTestOf},
		{"go test, no events", ``, kilo + "\n", 2 << 20, goTestOf},
		{"TAP, one line", "not ok", kilo, 1 << 20, tapOf},
		{"TAP, failures", "1..999999999\n", "not ok " + kilo + "\n", 1 << 20, tapOf},
		{"records, one line", `{"outcome":"`, kilo, 3 << 20, recordsOf},
	} {
		before := liveHeap()
		r := &repeatReader{head: c.head, body: c.body, count: size / len(c.body)}
		f := c.read(r)
		if held := int64(r.live) - int64(before); r.live > 0 && held > c.bound {
			t.Errorf("%s: holds %d bytes at its end", c.name, held)
		}
		runtime.KeepAlive(f)
	}
}

func liveHeap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func junitOf(r *repeatReader) findings   { return readJUnit(r, true, nil) }
func goTestOf(r *repeatReader) findings  { return readGoTest(r, true) }
func tapOf(r *repeatReader) findings     { return readTAP(r) }
func recordsOf(r *repeatReader) findings { return readRecords(r, newTally(nil, nil, "v")) }
