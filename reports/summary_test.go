package reports

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/harness/journal"
	"github.com/failrate/failrate/harness/plan"
)

// manyStrata is a campaign in which one variant fails always, the baseline half of the time and faster than it passes.
func manyStrata(t *testing.T, strata int) *Table {
	t.Helper()
	spec := plainSpec("c1", 7, 20)
	spec.platforms, spec.variants = []string{"native"}, []string{"baseline", "never", "always"}
	spec.parameters = spec.parameters[:0]
	for i := range strata {
		spec.parameters = append(spec.parameters, []string{"0s", "1ms", "2ms", "3ms", "4ms"}[i])
	}
	spec.outcome = func(tr plan.Trial) journal.Finished {
		if tr.Cell.Variant == "always" || tr.Cell.Variant == "baseline" && tr.Number%2 == 0 {
			return judged(classify.Fail, "committed", "", -900)
		}
		return judged(classify.Pass, "", "", tr.Number)
	}
	table, err := Read([]string{spec.write(t)})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// TestManyVerdictsAreGrouped prints sentences while there are few, and a line a variant when there are many.
func TestManyVerdictsAreGrouped(t *testing.T) {
	t.Parallel()
	few := string(render(t, func(b *bytes.Buffer) error { return Text(b, manyStrata(t, 3)) })) // 6 sentences
	if n := strings.Count(few, "95 % interval"); n < 6 || strings.Contains(few, "strata (") {
		t.Errorf("six verdicts are not six sentences:\n%s", few)
	}
	many := string(render(t, func(b *bytes.Buffer) error { return Text(b, manyStrata(t, 4)) })) // 8
	for _, want := range []string{
		"\nnever: better in all 4 strata (0/20 against 10/20, 0/20 against 10/20, 0/20 against 10/20, 0/20 against 10/20)\n",
		"\nalways: worse in all 4 strata (20/20 against 10/20, ",
	} {
		if !strings.Contains(many, want) {
			t.Errorf("%q is not in\n%s", want, many)
		}
	}
	if strings.Index(many, "\nnever: ") > strings.Index(many, "\nalways: ") {
		t.Error("the lines are not in the order of the variants")
	}
}

// TestOneDoubtIsOneFootnote raises the same doubt in every stratum.
func TestOneDoubtIsOneFootnote(t *testing.T) {
	t.Parallel()
	table := manyStrata(t, 3)
	at := -1
	for i, f := range table.Footnotes {
		if strings.Contains(f, "take shorter than passes") {
			if at >= 0 {
				t.Fatalf("two footnotes give one advice: %q", table.Footnotes)
			}
			at = i
		}
	}
	if at < 0 || strings.Count(table.Footnotes[at], "median") != 3 || strings.Count(table.Footnotes[at], "look at the slowest") != 1 {
		t.Fatalf("%q", table.Footnotes)
	}
	for _, s := range table.Strata {
		pointed := false
		for _, n := range s.Cells[0].Notes {
			pointed = pointed || n == at+1
		}
		if !pointed {
			t.Errorf("the baseline of %s does not point to footnote %d", s.ID, at+1)
		}
	}
}

// TestNarrowTerminal prints for several widths: no line of a table is wider, and what went is named.
func TestNarrowTerminal(t *testing.T) {
	t.Parallel()
	table := manyStrata(t, 2)
	table.Strata[0].Cells[1].Metrics = nil
	full := string(render(t, func(b *bytes.Buffer) error { return Text(b, table) }))
	for _, width := range []int{0, 300, 120, 100, 76} {
		text := string(render(t, func(b *bytes.Buffer) error { return TextWithin(b, table, width) }))
		widest := 0
		for line := range strings.Lines(text) {
			if strings.Contains(line, "/20 ") && !strings.Contains(line, ": ") || strings.HasPrefix(line, "───") {
				widest = max(widest, utf8.RuneCountInString(strings.TrimRight(line, "\n")))
			}
		}
		if width > 0 && (widest == 0 || widest > width) {
			t.Errorf("for %d characters a line has %d:\n%s", width, widest, text)
		}
		if wide := width == 0 || width == 300; wide != (text == full) || wide == strings.Contains(text, "Left out for want of width: metrics") {
			t.Errorf("for %d characters:\n%s", width, text)
		}
		for _, column := range []string{"variant", "failed", "rate", "95 % interval", "verdict", "timeout", "excluded"} {
			if !strings.Contains(text, column) {
				t.Errorf("for %d characters column %q went", width, column)
			}
		}
	}
}
