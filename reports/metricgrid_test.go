package reports

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
)

// numbersTable has more metrics than fit beside a row; the variant lacks one and shifts another.
func numbersTable(metrics int) *Table {
	base, other := Cell{ID: "a", Variant: "a", Baseline: true}, Cell{ID: "b", Variant: "b|@c"}
	for i := range metrics {
		m := Metric{Name: fmt.Sprintf("m%02d", i), N: 9, Median: 10.5, Low: 9.25, High: 12}
		base.Metrics = append(base.Metrics, m)
		switch i {
		case 0:
			continue
		case 1:
			m.Median, m.Low, m.High = 2, math.NaN(), math.NaN()
			m.Shift = &Shift{Estimate: -8.5, Low: -9, High: -8, P: 0.001}
		case 2:
			m.Shift = &Shift{Estimate: 0.5, Low: -1, High: 2, P: 0.4}
		}
		other.Metrics = append(other.Metrics, m)
	}
	return &Table{Study: "s", Level: 0.95, Strata: []Stratum{{ID: "native/none", Cells: []Cell{base, other}}}}
}

func TestManyMetricsHaveATableOfTheirOwn(t *testing.T) {
	t.Parallel()
	table := numbersTable(3)
	text := string(render(t, func(b *bytes.Buffer) error { return Text(b, table) }))
	for _, want := range []string{"native/none: medians of metrics", "m00 10.5 (9.25–12) –", "m01 10.5 (9.25–12) 2 Δ -8.5", "m02 10.5 (9.25–12) 10.5 (9.25–12)"} {
		if flat := strings.Join(strings.Fields(text), " "); !strings.Contains(flat, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Contains(text, "m02 10.5 (9.25–12) 10.5 (9.25–12) Δ") {
		t.Error("a shift that may be 0 is shown")
	}
	markdown := string(render(t, func(b *bytes.Buffer) error { return Markdown(b, table) }))
	if !strings.Contains(markdown, "| metric | a | b&#124;&#64;&#8203;c |") {
		t.Errorf("no table of metrics, or a variant that is not escaped:\n%s", markdown)
	}
	if few := string(render(t, func(b *bytes.Buffer) error { return Text(b, numbersTable(2)) })); strings.Contains(few, "medians of metrics") {
		t.Error("metrics that fit beside their row have a table")
	}
	narrow := string(render(t, func(b *bytes.Buffer) error { return TextWithin(b, table, 40) }))
	if strings.Contains(narrow, "medians of metrics") || !strings.Contains(narrow, "Left out for want of width: metrics") {
		t.Errorf("on a narrow terminal:\n%s", narrow)
	}
	if many := string(render(t, func(b *bytes.Buffer) error { return Text(b, numbersTable(maxMetricRows+5)) })); !strings.Contains(many, "and 5 more") {
		t.Error("it does not say how many metrics it leaves out")
	}
}
