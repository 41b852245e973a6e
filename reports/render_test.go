package reports

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/failrate/failrate/harness/plan"
	"github.com/failrate/failrate/stats"
)

func render(t testing.TB, f func(*bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestHostileGoldens keeps one golden per format, all from one table.
func TestHostileGoldens(t *testing.T) {
	t.Parallel()
	table := hostileTable(t)
	golden(t, "hostile.txt", render(t, func(b *bytes.Buffer) error { return Text(b, table) }))
	golden(t, "hostile.md", render(t, func(b *bytes.Buffer) error { return Markdown(b, table) }))
	golden(t, "hostile.jira", render(t, func(b *bytes.Buffer) error { return Jira(b, table) }))
	shortened := render(t, func(b *bytes.Buffer) error { return JSON(b, table) })
	golden(t, "hostile.json", bytes.ReplaceAll(shortened, bytes.Repeat([]byte("x"), 1<<20), []byte("(1 MB of x)")))
}

// TestNothingComesAlive looks in the renderings for what a tracker or a terminal would act on.
func TestNothingComesAlive(t *testing.T) {
	t.Parallel()
	table := hostileTable(t)
	table.Repeat = nil // is in a code block, where it is as it was
	text := string(render(t, func(b *bytes.Buffer) error { return Text(b, table) }))
	for _, bad := range []string{"\x1b", "\u202e", "\r"} {
		if strings.Contains(text, bad) {
			t.Errorf("text holds %q", bad)
		}
	}
	md := string(render(t, func(b *bytes.Buffer) error { return Markdown(b, table) }))
	for _, bad := range []string{"\x1b", "<img", "@torvalds", "#64;torvalds", "#123", "https://", "www.evil", "GH-7", "[~", "</script", "<!--", ":tada", " deadbeefcafe "} {
		if strings.Contains(md, bad) {
			t.Errorf("Markdown holds %q", bad)
		}
	}
	wiki := string(render(t, func(b *bytes.Buffer) error { return Jira(b, table) }))
	for _, bad := range []string{"\x1b", "<img", "SOLR-18530", "SOLR\\-18530", "https://", "www.evil", " [~", " {c}", "@torvalds", " *bold*"} {
		if strings.Contains(wiki, bad) {
			t.Errorf("Jira markup holds %q", bad)
		}
	}
}

// TestJSONReadsBackEqual decodes into the same form and into anything, and holds it against the schema.
func TestJSONReadsBackEqual(t *testing.T) {
	t.Parallel()
	for name, table := range map[string]*Table{"hostile": hostileTable(t), "plain": plainTable(t, 40), "pooled": pooledTable(t), "empty": {}} {
		first := render(t, func(b *bytes.Buffer) error { return JSON(b, table) })
		var got document
		d := json.NewDecoder(bytes.NewReader(first))
		d.DisallowUnknownFields()
		if err := d.Decode(&got); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var want document // by way of JSON, so that times and pointers compare
		again, err := json.Marshal(got)
		if err != nil || json.Unmarshal(again, &want) != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: reads back different: %v", name, err)
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, first); err != nil || !bytes.Equal(compact.Bytes(), again) {
			t.Errorf("%s: written again it differs: %v", name, err)
		}
		if err := schema(t).Validate(anything(t, first)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSchemaRefuses shows that the schema is not one that everything passes.
func TestSchemaRefuses(t *testing.T) {
	t.Parallel()
	whole := string(render(t, func(b *bytes.Buffer) error { return JSON(b, plainTable(t, 20)) }))
	for _, change := range [][2]string{
		{`"format": 1`, `"format": 2`}, {`"pass": `, `"passed": `}, {`"rate": 0`, `"rate": 7`}, {`"role": "baseline"`, `"role": "base"`},
	} {
		bad := strings.Replace(whole, change[0], change[1], 1)
		if bad == whole {
			t.Fatalf("the document holds no %q", change[0])
		}
		if schema(t).Validate(anything(t, []byte(bad))) == nil {
			t.Errorf("the schema takes %s", change[1])
		}
	}
}

func schema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	if err := c.AddResource("table.json", anything(t, JSONSchema)); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("table.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func anything(t testing.TB, data []byte) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestFitDropsInTheStatedOrder shrinks the limit step by step.
func TestFitDropsInTheStatedOrder(t *testing.T) {
	t.Parallel()
	table := hostileTable(t)
	for _, within := range []func(*bytes.Buffer, int) error{
		func(b *bytes.Buffer, limit int) error { return MarkdownWithin(b, table, limit) },
		func(b *bytes.Buffer, limit int) error { return JiraWithin(b, table, limit) },
	} {
		whole := render(t, func(b *bytes.Buffer) error { return within(b, 1<<30) })
		if bytes.Contains(whole, []byte("Left out")) {
			t.Error("a page without a limit says that it left something out")
		}
		dropped := 0
		for limit := len(whole); limit > 700; limit = limit * 9 / 10 {
			got := string(render(t, func(b *bytes.Buffer) error { return within(b, limit) }))
			if len(got) > limit {
				t.Fatalf("%d bytes, the limit is %d", len(got), limit)
			}
			last := -1
			for i, r := range reductions {
				if !strings.Contains(got, r.what) {
					continue
				}
				if i != last+1 {
					t.Errorf("limit %d: %q was dropped before %q", limit, r.what, reductions[last+1].what)
				}
				last = i
			}
			dropped = max(dropped, last+1)
		}
		if dropped != len(reductions) {
			t.Errorf("only %d of %d reductions were seen", dropped, len(reductions))
		}
	}
}

// TestManyRowsFit has far more rows than a comment holds.
func TestManyRowsFit(t *testing.T) {
	t.Parallel()
	table := &Table{Study: "s", Level: 0.95}
	s := Stratum{ID: "native/none"}
	for i := range 5000 {
		s.Cells = append(s.Cells, Cell{ID: fmt.Sprint(i), Variant: fmt.Sprint("v", i)})
		table.Verdicts = append(table.Verdicts, fmt.Sprintf("v%d: fixed", i))
	}
	table.Strata = []Stratum{s}
	got := string(render(t, func(b *bytes.Buffer) error { return Markdown(b, table) }))
	if len(got) > MarkdownComment || len(got) < MarkdownComment*9/10 {
		t.Errorf("%d bytes of %d are used", len(got), MarkdownComment)
	}
	rows := strings.Count(got, "\n| v") - 1
	if want := fmt.Sprintf("%d of 5000 rows", 5000-rows); !strings.Contains(got, want) {
		t.Errorf("it does not say %q: …%s", want, got[len(got)-300:])
	}
}

// FuzzColumns holds that no text changes the number of columns or lines of a table.
func FuzzColumns(f *testing.F) {
	f.Add(hostile, "b", "c")
	f.Add("|", "\\|", "\\\\|")
	f.Add("", " ", "\n")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		t.Parallel()
		g := grid{title: "t", head: []string{"one", "two", "three"}, right: make([]bool, 3), rows: [][]string{{a, b, c}, {c, a, b}}}
		var md strings.Builder
		markdownGrid(&md, g)
		lines := strings.Split(strings.TrimSuffix(md.String(), "\n"), "\n")
		if len(lines) != 4 {
			t.Fatalf("%d lines of Markdown: %q", len(lines), md.String())
		}
		for _, line := range lines {
			if n := columnsOf(line); n != 3 {
				t.Errorf("Markdown: %d columns in %q", n, line)
			}
		}
		wiki := strings.Split(strings.TrimSpace(jiraPage(page{grids: []grid{g}})), "\n")
		if len(wiki) != 4 {
			t.Fatalf("%d lines of Jira markup: %q", len(wiki), wiki)
		}
		for _, line := range wiki[2:] {
			if n := columnsOf(line); n != 3 {
				t.Errorf("Jira: %d columns in %q", n, line)
			}
		}
		var text bytes.Buffer
		(&printer{w: &text}).grid(g)
		if n := strings.Count(text.String(), "\n"); n != 4 {
			t.Errorf("text: %d lines: %q", n, text.String())
		}
	})
}

// columnsOf counts fields between bars that no backslash escapes.
func columnsOf(line string) int {
	n, escaped := -1, false
	for _, r := range line {
		if r == '|' && !escaped {
			n++
		}
		escaped = r == '\\' && !escaped
	}
	return n
}

// TestShellLine reads back by the rules of $'…' and '…'.
func TestShellLine(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"--seed=7": "--seed=7", "a b": "'a b'", "": "''", "it's": `'it'\''s'`, "a\nb\x1b": `$'a\nb\x1b'`, "=cmd": "'=cmd'", "$(x)": "'$(x)'",
	} {
		if got := shellLine([]string{word}); got != want {
			t.Errorf("%q is %s, want %s", word, got, want)
		}
	}
}

// pooledTable has two campaigns of one study, pooled.
func pooledTable(t testing.TB) *Table {
	t.Helper()
	one := plainSpec("c1", 7, 40)
	two := plainSpec("c2", 8, 60)
	r, err := Open([]string{one.write(t), two.write(t)})
	if err != nil {
		t.Fatal(err)
	}
	table, err := r.Table(Options{Pool: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return table
}

// TestCampaignsAreNeverMixed reads two campaigns of one study.
func TestCampaignsAreNeverMixed(t *testing.T) {
	t.Parallel()
	table := pooledTable(t)
	if len(table.Campaigns) != 2 || len(table.Strata) != 12 {
		t.Fatalf("%d campaigns, %d strata, want 2 and 12", len(table.Campaigns), len(table.Strata))
	}
	for s, c := range table.cellsOf() {
		want := map[string]int{"c1": 40, "c2": 60}[s.Campaign]
		if got := int(c.Counts.Rate().N) + c.Counts.Excluded(); got != want {
			t.Errorf("%s of %s has %d trials, want %d", c.ID, s.Campaign, got, want)
		}
		for _, n := range c.Notes {
			if n < 1 || n > len(table.Footnotes) {
				t.Errorf("%s points to footnote %d of %d", c.ID, n, len(table.Footnotes))
			}
		}
	}
	if len(table.Pooled) != 12 { // 2 variants in 6 strata
		t.Fatalf("%d pooled effects, want 12", len(table.Pooled))
	}
	p := table.Pooled[0]
	if p.Variant != "leaders-only" || p.Campaigns != 2 || p.Effect.Difference >= 0 || p.Effect.DiffRange.High >= 0 {
		t.Errorf("pooled %+v, want leaders-only clearly better over 2 campaigns", p)
	}
}

// TestRoundsAreClustered counts rounds, with an interval that allows for their likeness.
func TestRoundsAreClustered(t *testing.T) {
	t.Parallel()
	spec := plainSpec("c1", 7, 20)
	spec.platforms, spec.parameters = spec.platforms[:1], nil
	plainOutcome := spec.outcome
	spec.outcome = func(tr plan.Trial) (f journalFinished) {
		f = plainOutcome(tr)
		return withRounds(f, tr.Number)
	}
	table, err := Read([]string{spec.write(t)})
	if err != nil {
		t.Fatal(err)
	}
	c := table.Strata[0].Cells[0]
	if c.Clustered == nil || c.Interval.Method != "korn-graubard" || c.Rate.N != 185 || c.Rate.K != 45 || c.Classes["committed"] != 40 {
		t.Errorf("cell %+v: want 45 of 185 rounds by Korn and Graubard, 40 of them committed", c)
	}
	if c.Comparison != nil || table.Strata[0].Cells[1].Comparison == nil {
		t.Error("a comparison is missing, or the baseline has one")
	}
	if got := furtherTrials(Cell{Rate: stats.Count{K: 50, N: 200}, Clustered: &Clustered{Trials: 20, DesignEffect: 2}}, 1000); got != 200 { // 10 rounds worth 5
		t.Errorf("1000 further observations are %d trials of 10 rounds with a design effect of 2, want 200", got)
	}
	if last := c.Timeline[len(c.Timeline)-1]; last.Running != c.Rate || last.Interval.High != c.Interval.High {
		t.Errorf("the timeline ends at %+v, the cell is %+v", last, c.Rate)
	}
}
