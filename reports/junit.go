package reports

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/failrate/failrate/harness/classify"
)

// JUnit writes JUnit XML with one suite a variant and one case a trial: failures and time-outs as failures, trials that
// are in no rate as skipped with their reason. The trials are read once for as many variants as fit maxBuffered at a
// time. Whatever the output held, the XML is valid: what it cannot hold is written as U+FFFD.
func JUnit(w io.Writer, t *Table) error {
	if t.Trials == nil {
		return errNoTrials
	}
	out := bufio.NewWriterSize(w, 1<<16)
	x := &xmlWriter{w: out}
	suites, total := suitesOf(t)
	x.text(xml.Header)
	x.open("testsuites", append([]string{"name", t.Study}, total.attributes()...)...)
	for len(suites) > 0 {
		n := together(suites)
		if err := x.suites(t, suites[:n]); err != nil {
			return err
		}
		suites = suites[n:]
	}
	x.text("</testsuites>\n")
	if x.err != nil {
		return x.err
	}
	return out.Flush()
}

// suite is a variant over all strata.
type suite struct {
	variant                  string
	tests, failures, skipped int
}

func (s suite) attributes() []string {
	return []string{
		"tests", fmt.Sprint(s.tests), "failures", fmt.Sprint(s.failures), "errors", "0", "skipped", fmt.Sprint(s.skipped),
	}
}

// suitesOf counts the variants in the order of their first cell. The counts of outcomes are of trials, never of rounds.
func suitesOf(t *Table) ([]suite, suite) {
	var out []suite
	var total suite
	at := map[string]int{}
	for _, c := range t.cellsOf() {
		i, known := at[c.Variant]
		if !known {
			i = len(out)
			at[c.Variant] = i
			out = append(out, suite{variant: c.Variant})
		}
		counted := c.Counts.Rate()
		for _, s := range []*suite{&out[i], &total} {
			s.tests += int(counted.N) + c.Counts.Excluded()
			s.failures += int(counted.K)
			s.skipped += c.Counts.Excluded()
		}
	}
	return out, total
}

// xmlWriter writes elements and keeps the first error.
type xmlWriter struct {
	w   *bufio.Writer
	err error
}

func (x *xmlWriter) text(s string) {
	if x.err == nil {
		_, x.err = x.w.WriteString(s)
	}
}

func (x *xmlWriter) escaped(s string) {
	if x.err == nil {
		x.err = xml.EscapeText(x.w, []byte(s))
	}
}

// start writes an element's start without its closing bracket; attributes are names and values in turn.
func (x *xmlWriter) start(name string, attributes ...string) {
	x.text("<" + name)
	for i := 0; i+1 < len(attributes); i += 2 {
		x.text(" " + attributes[i] + `="`)
		x.escaped(printable(attributes[i+1]))
		x.text(`"`)
	}
}

func (x *xmlWriter) open(name string, attributes ...string) {
	x.start(name, attributes...)
	x.text(">\n")
}

// maxBuffered bounds the suites that are put together in memory in one reading, in bytes as together guesses them.
const maxBuffered = 128 << 20

// together is how many of the first suites, at least one, are put together in one reading.
func together(suites []suite) int {
	size := 0
	for i, s := range suites {
		size += 200*s.tests + (classify.MaxExcerpt+classify.MaxReason)*(s.failures+s.skipped)
		if size > maxBuffered && i > 0 {
			return i
		}
	}
	return len(suites)
}

// suites writes some suites from one reading: the plan mixes the variants, a suite holds one.
func (x *xmlWriter) suites(t *Table, suites []suite) error {
	parts := map[string]*xmlWriter{}
	buffers := make([]bytes.Buffer, len(suites))
	for i, s := range suites {
		parts[s.variant] = &xmlWriter{w: bufio.NewWriter(&buffers[i])}
	}
	err := t.Trials(func(tr *Trial) error {
		part := parts[tr.Cell.Variant]
		if part == nil {
			return nil
		}
		if err := part.testcase(tr); err != nil {
			return err
		}
		return part.err
	})
	if err != nil {
		return err
	}
	for i, s := range suites {
		if err := parts[s.variant].w.Flush(); err != nil {
			return err
		}
		x.open("testsuite", append([]string{"name", s.variant}, s.attributes()...)...)
		if x.err == nil {
			_, x.err = buffers[i].WriteTo(x.w)
		}
		x.text("</testsuite>\n")
	}
	return x.err
}

func (x *xmlWriter) testcase(tr *Trial) error {
	x.start("testcase", "classname", strings.ReplaceAll(tr.Cell.ID(), "/", "."), "name", tr.ID, "time", seconds3(tr.Wall))
	switch tr.Outcome {
	case classify.Pass:
		x.text("/>\n")
		return nil
	case classify.Fail, classify.Timeout:
		kind := tr.Class
		if tr.Outcome == classify.Timeout {
			kind = "timeout"
		}
		x.text(">")
		x.start("failure", "type", kind, "message", tr.why())
		x.text(">")
		x.escaped(printable(tr.Excerpt))
		x.text("</failure>")
	case classify.Unexercised, classify.Broken, classify.Censored, classify.Lost:
		x.text(">")
		x.start("skipped", "message", tr.Outcome.String()+": "+tr.why())
		x.text("/>")
	}
	x.text("</testcase>\n")
	return nil
}

func seconds3(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
