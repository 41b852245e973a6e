package reports

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/failrate/failrate/harness/classify"
)

// TestHostileTrialGoldens keeps the goldens of the formats that show single trials.
func TestHostileTrialGoldens(t *testing.T) {
	t.Parallel()
	table := hostileTable(t)
	long := bytes.Repeat([]byte("x"), 1<<20)
	for file, f := range map[string]func(io.Writer, *Table) error{"hostile.csv": CSV, "hostile.xml": JUnit} {
		got := render(t, func(b *bytes.Buffer) error { return f(b, table) })
		golden(t, file, bytes.ReplaceAll(got, long, []byte("(1 MB of x)")))
	}
}

// TestCSVReadsBackEqual compares every row with the trial it is of.
func TestCSVReadsBackEqual(t *testing.T) {
	t.Parallel()
	for _, table := range []*Table{hostileTable(t), plainTable(t, 20), pooledTable(t)} {
		if table.Pooled != nil {
			continue // its journals are closed
		}
		data := render(t, func(b *bytes.Buffer) error { return CSV(b, table) })
		if !bytes.HasSuffix(data, []byte("\r\n")) || bytes.ContainsAny(data, "\x1b\x00") {
			t.Error("it does not end in CRLF, or holds a control character")
		}
		rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll() // refuses rows of different lengths
		if err != nil {
			t.Fatal(err)
		}
		at := map[string]int{}
		for i, name := range rows[0] {
			at[name] = i
		}
		n := 0
		err = table.Trials(func(tr *Trial) error {
			n++
			row := rows[n]
			get := func(name string) string {
				text := row[at[name]]
				return strings.TrimPrefix(text, "'")
			}
			for name, want := range map[string]string{
				"trial": printable(tr.ID), "variant": printable(tr.Cell.Variant), "outcome": tr.Outcome.String(), "class": printable(tr.Class),
				"block": fmt.Sprint(tr.Number), "evidence": printable(strings.Join(tr.Evidence, " ")),
			} {
				if got := get(name); got != want {
					t.Errorf("row %d: %s is %.80q, want %.80q", n, name, got, want)
				}
			}
			if tr.Outcome != classify.Lost && get("wall_s") != secondsText(tr.Wall) {
				t.Errorf("row %d: wall is %s", n, get("wall_s"))
			}
			return nil
		})
		if err != nil || n != len(rows)-1 {
			t.Errorf("%d trials, %d rows: %v", n, len(rows)-1, err)
		}
	}
}

// TestNoFormula keeps spreadsheets from running a text, reversibly.
func TestNoFormula(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"=1+1": "'=1+1", "@SUM": "'@SUM", "'a": "''a", "a=1": "a=1", "": "", "-1": "'-1"} {
		if got := noFormula(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

type suitesXML struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Skipped  int `xml:"skipped,attr"`
	Suites   []struct {
		Name     string `xml:"name,attr"`
		Tests    int    `xml:"tests,attr"`
		Failures int    `xml:"failures,attr"`
		Skipped  int    `xml:"skipped,attr"`
		Cases    []struct {
			Name    string `xml:"name,attr"`
			Failure *struct {
				Type string `xml:"type,attr"`
				Text string `xml:",chardata"`
			} `xml:"failure"`
			Skipped *struct {
				Message string `xml:"message,attr"`
			} `xml:"skipped"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

// TestJUnitAddsUp parses the XML strictly and counts again.
func TestJUnitAddsUp(t *testing.T) {
	t.Parallel()
	for _, table := range []*Table{hostileTable(t), plainTable(t, 20)} {
		data := render(t, func(b *bytes.Buffer) error { return JUnit(b, table) })
		if !utf8.Valid(data) {
			t.Error("it is not UTF-8")
		}
		var got suitesXML
		if err := xml.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		if len(got.Suites) != 3 {
			t.Errorf("%d suites, want one a variant", len(got.Suites))
		}
		tests, failures, skipped := 0, 0, 0
		for _, s := range got.Suites {
			f, k := 0, 0
			for _, c := range s.Cases {
				if c.Failure != nil {
					f++
				}
				if c.Skipped != nil {
					k++
					if !strings.Contains(c.Skipped.Message, ": ") {
						t.Errorf("skipped without a reason: %q", c.Skipped.Message)
					}
				}
			}
			if s.Tests != len(s.Cases) || s.Failures != f || s.Skipped != k {
				t.Errorf("suite %.40q says %d tests, %d failures, %d skipped and holds %d, %d, %d", s.Name, s.Tests, s.Failures, s.Skipped, len(s.Cases), f, k)
			}
			tests, failures, skipped = tests+s.Tests, failures+s.Failures, skipped+s.Skipped
		}
		if got.Tests != tests || got.Failures != failures || got.Skipped != skipped || failures == 0 || skipped == 0 {
			t.Errorf("in all %d, %d, %d; it says %d, %d, %d", tests, failures, skipped, got.Tests, got.Failures, got.Skipped)
		}
	}
}

// TestSuitesArePutTogetherWithinBounds reads as often as it must, and no more.
func TestSuitesArePutTogetherWithinBounds(t *testing.T) {
	t.Parallel()
	small, big := suite{tests: 1000}, suite{tests: 100_000, failures: 50_000}
	for _, c := range []struct {
		suites []suite
		want   int
	}{{[]suite{small, small, small}, 3}, {[]suite{big, big}, 1}, {[]suite{big}, 1}, {[]suite{small, big, small}, 1}, {nil, 0}} {
		if got := together(c.suites); got != c.want {
			t.Errorf("%d suites together, want %d", got, c.want)
		}
	}
}

// FuzzJUnitText holds that any text makes XML that reads back, but for what XML cannot hold.
func FuzzJUnitText(f *testing.F) {
	f.Add(hostile)
	f.Add("]]>\x00\xff\ufffe")
	f.Fuzz(func(t *testing.T, s string) {
		t.Parallel()
		var b bytes.Buffer
		x := &xmlWriter{w: bufio.NewWriter(&b)}
		x.start("a", "b", s)
		x.text(">")
		x.escaped(printable(s))
		x.text("</a>")
		if err := x.w.Flush(); err != nil {
			t.Fatal(err)
		}
		var got struct {
			B string `xml:"b,attr"`
			T string `xml:",chardata"`
		}
		if err := xml.Unmarshal(b.Bytes(), &got); err != nil {
			t.Fatalf("%v: %q", err, b.String())
		}
	})
}
