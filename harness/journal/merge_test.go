package journal

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/harness/plan"
)

// shards runs a campaign as shards in folders of one root, and gives the folders.
func shards(t testing.TB, h Header, of int) (dirs []string) {
	t.Helper()
	root := t.TempDir()
	for k := 1; k <= of; k++ {
		h.Shard = fmt.Sprintf("%d/%d", k, of)
		h.Host.Name = fmt.Sprintf("runner-%d", k)
		dirs = append(dirs, written(t, filepath.Join(root, fmt.Sprintf("shard-%d", k), h.Plan.Study, h.Campaign), h, -1))
	}
	return dirs
}

// merged merges results folders, or fails the test.
func merged(t testing.TB, dirs ...string) *Merged {
	t.Helper()
	m, err := merge(t, dirs...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

func merge(t testing.TB, dirs ...string) (*Merged, error) {
	t.Helper()
	var sources []Source
	for _, dir := range dirs {
		found, err := Find(dir, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, found...)
	}
	return Merge(sources, Limits{})
}

func TestShardsAddUpToTheWhole(t *testing.T) {
	t.Parallel()
	h := testHeader(23)
	want := results(t, written(t, filepath.Join(t.TempDir(), "whole"), h, -1))
	p := testPlan(23)
	if len(want) != p.Trials() {
		t.Fatalf("the whole campaign gives %d of %d trials", len(want), p.Trials())
	}
	for _, of := range []int{1, 2, 3, 7, 40} { // 40 shards of 27 blocks: some are empty
		if got := results(t, shards(t, h, of)...); !slices.Equal(got, want) {
			t.Errorf("%d shards give %d trials, which differ from the whole %d", of, len(got), len(want))
		}
	}
}

func TestTrialsComeInPlanOrder(t *testing.T) {
	t.Parallel()
	h := testHeader(9)
	m := merged(t, shards(t, h, 4)...)
	var want []string
	for b := range h.Plan.Blocks(plan.Shard{}) {
		for _, tr := range b.Trials {
			want = append(want, fmt.Sprint(b.Phase, b.Stratum, tr.ID, 1))
		}
	}
	var got []string
	cells := h.Plan.Cells()
	if err := m.Each(func(t *Trial) error {
		got = append(got, fmt.Sprint(t.Phase, t.Stratum, plan.TrialID(cells[t.Cell].ID(), t.Number), t.Attempts))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the trials come as %v, planned as %v", got, want)
	}
	n, stop := 0, errors.New("enough")
	if err := m.Each(func(*Trial) error { n++; return stop }); !errors.Is(err, stop) || n != 1 {
		t.Errorf("Each went on to %d trials after an error, and gave %v", n, err)
	}
}

// picture is all that a merge says, in a form that can be compared.
func picture(t testing.TB, m *Merged) string {
	t.Helper()
	var b strings.Builder
	for _, j := range m.Journals {
		fmt.Fprintln(&b, j.Header.Host, j.Header.Shard, j.Header.Attempt, j.Records, j.Torn, j.Planned, j.Counts, j.Attempts, j.Broken, len(j.Notes), len(j.Copies))
	}
	for _, s := range m.Superseded {
		fmt.Fprintln(&b, s.Journal.Header.Shard, s.Journal.Header.Attempt, s.Journal.Counts)
	}
	fmt.Fprintln(&b, m.Missing, m.Partial, len(m.Warnings))
	if err := m.Each(func(t *Trial) error {
		_, err := fmt.Fprintln(&b, t.Journal, t.Phase, t.Stratum, t.Cell, t.Number, t.Attempt, t.Attempts, t.Outcome, t.Class, t.Wall, t.At, t.Metrics, t.Facts)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A campaign with everything at once: two systems, a missing shard, a job that was run again, one that was interrupted.
func varied(t testing.TB) []string {
	h := testHeader(11)
	dirs := shards(t, h, 4)[:3]
	again := h
	again.Shard, again.Attempt = "2/4", 2
	dirs = append(dirs, written(t, filepath.Join(t.TempDir(), "again"), again, 5))
	mac := h
	mac.Host.OS, mac.Host.Arch, mac.Platforms = "darwin", "arm64", []string{"native"}
	return append(dirs, shards(t, mac, 2)...)
}

func TestMergeCommutes(t *testing.T) {
	t.Parallel()
	dirs := varied(t)
	want := picture(t, merged(t, dirs...))
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		r.Shuffle(len(dirs), func(i, j int) { dirs[i], dirs[j] = dirs[j], dirs[i] })
		if got := picture(t, merged(t, dirs...)); got != want {
			t.Fatalf("in the order %v the merge is another one:\n%s\nnot\n%s", dirs, got, want)
		}
	}
}

func TestMergeRepeatsHarmlessly(t *testing.T) {
	t.Parallel()
	dirs := varied(t)
	want := results(t, dirs...)
	copies := t.TempDir()
	for i, dir := range dirs {
		if err := os.CopyFS(filepath.Join(copies, fmt.Sprint(i)), os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
	}
	twice := append(append(slices.Clone(dirs), dirs...), copies)
	if got := results(t, twice...); !slices.Equal(got, want) {
		t.Errorf("everything three times gives %d trials, not %d", len(got), len(want))
	}
	m := merged(t, twice...)
	for _, j := range m.Journals {
		if len(j.Copies) != 2 {
			t.Errorf("%s has copies %v", j.Source, j.Copies)
		}
	}
}

func TestACopyFromBeforeTheEndIsTheSameJournal(t *testing.T) {
	t.Parallel()
	h := testHeader(5)
	root := t.TempDir()
	dir, early := written(t, filepath.Join(root, "b"), h, -1), filepath.Join(root, "a")
	if err := os.Mkdir(early, 0o700); err != nil {
		t.Fatal(err)
	}
	data := read(t, dir)
	cut := data[:len(data)/2] // copied while it was written: with a torn end, which the original does not have
	if err := os.WriteFile(filepath.Join(early, FileName), cut, 0o600); err != nil {
		t.Fatal(err)
	}
	want := results(t, dir)
	if got := results(t, early, dir); !slices.Equal(got, want) {
		t.Errorf("with an earlier copy: %d trials, not %d", len(got), len(want))
	}
	w, _, err := Open(early) // but when both went on, they are two records of the same trials
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Note(Note{Kind: NoteResumed, At: epoch}); err != nil {
		t.Fatal(err)
	}
	run(t, w, -1)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := merge(t, dir, early); !errors.Is(err, ErrDiffers) || !strings.Contains(err.Error(), "two records of the same trials") {
		t.Errorf("two continuations: %v", err)
	}
}

func TestALaterAttemptReplacesAnEarlierOne(t *testing.T) {
	t.Parallel()
	h := testHeader(10)
	dirs := shards(t, h, 2)
	second := h
	second.Shard, second.Attempt, second.Host.Name = "2/2", 2, "other"
	later := written(t, filepath.Join(t.TempDir(), "a"), second, -1)
	old := dirs[1]
	if err := os.Chtimes(filepath.Join(later, FileName), epoch, epoch); err != nil { // older by its time
		t.Fatal(err)
	}
	m := merged(t, dirs[0], later, old)
	if len(m.Superseded) != 1 || m.Superseded[0].Journal.Source.Folder() != old || m.Superseded[0].By.Folder() != later {
		t.Fatalf("superseded: %+v", m.Superseded)
	}
	if s := m.Superseded[0].Journal; s.Counts[classify.Pass] == 0 || s.Records == 0 {
		t.Errorf("it is not said how much was superseded: %+v", s)
	}
	if len(m.Journals) != 2 || m.Journals[1].Header.Host.Name != "other" || m.Partial {
		t.Errorf("what counts: %+v", m.Journals)
	}
	foreign := second
	foreign.Campaign, foreign.Attempt = "c2", 3
	other := written(t, filepath.Join(t.TempDir(), "f"), foreign, -1)
	if _, err := merge(t, dirs[0], old, other); !errors.Is(err, ErrDiffers) || !strings.Contains(err.Error(), "two campaigns") {
		t.Errorf("an attempt of another campaign: %v", err)
	}
}

func TestMergeRefusesWhatDoesNotAddUp(t *testing.T) {
	t.Parallel()
	h := testHeader(4)
	h.Shard = "1/2"
	first := written(t, filepath.Join(t.TempDir(), "1"), h, -1)
	for name, c := range map[string]struct {
		change func(*Header)
		want   string
		hint   string
	}{
		"tool":       {func(h *Header) { h.Tool = "1.3.0" }, `the version of failrate is "1.2.3" here and "1.3.0" there`, "one version of failrate"},
		"study":      {func(h *Header) { h.Plan.StudyDigest = "d2" }, `the study's digest is "d1" here and "d2" there`, "the study changed"},
		"other":      {func(h *Header) { h.Plan.Study = "t" }, `the study is "s" here and "t" there`, "different trials"},
		"seed":       {func(h *Header) { h.Plan.Seed = 8 }, `the seed is "7" here and "8" there`, "different trials"},
		"iterations": {func(h *Header) { h.Plan.Iterations = 5 }, `the number of trials per cell is "4" here and "5" there`, "different trials"},
		"selection":  {func(h *Header) { h.Plan.Strata = h.Plan.Strata[:1] }, "the plan's digest is", "different trials"},
		"rules":      {func(h *Header) { h.Rules = "r2" }, `the digest of the rules is "r1" here and "r2" there`, "failrate reclassify"},
		"design":     {func(h *Header) { h.Design = "obf" }, `the design is "fixed" here and "obf" there`, "designs"},
		"shards":     {func(h *Header) { h.Shard = "2/3" }, "cut into shards in two ways", "leave one of them out"},
		"whole":      {func(h *Header) { h.Shard = "" }, "cut into shards in two ways", "leave one of them out"},
		"same shard": {func(h *Header) { h.Shard = "1/2"; h.Host.Name = "other" }, "two records of the same trials", "leave one of them out"},
	} {
		other := h
		other.Shard = "2/2"
		other.Plan = testPlan(4)
		c.change(&other)
		second := written(t, filepath.Join(t.TempDir(), "2"), other, -1)
		for _, dirs := range [][]string{{first, second}, {second, first}} {
			_, err := merge(t, dirs...)
			var hinted interface{ Hint() string }
			if !errors.Is(err, ErrRefused) || !errors.Is(err, ErrDiffers) || !strings.Contains(err.Error(), c.want) || !errors.As(err, &hinted) || !strings.Contains(hinted.Hint(), c.hint) {
				t.Errorf("%s: %v, want %q", name, err, c.want)
			}
		}
	}
}

func TestMissingShardsAreNamedWithTheirShare(t *testing.T) {
	t.Parallel()
	h := testHeader(10) // ten blocks, and four of the controls
	dirs := shards(t, h, 4)
	m := merged(t, dirs[0], dirs[3])
	cells := len(h.Plan.Strata) * 2
	// Shard 2 holds the blocks 2, 6 and 10, and control block 2; shard 3 the blocks 3 and 7, and control block 3.
	want := []Missing{{"linux/amd64", "2/4", 3*cells + 2, float64(3*cells+2) / 48}, {"linux/amd64", "3/4", 2*cells + 2, float64(2*cells+2) / 48}}
	if !reflect.DeepEqual(m.Missing, want) || !m.Partial {
		t.Errorf("missing %+v, want %+v; partial %v", m.Missing, want, m.Partial)
	}
	if m := merged(t, dirs...); m.Partial || len(m.Missing) > 0 {
		t.Errorf("with all shards: missing %v, partial %v", m.Missing, m.Partial)
	}
}

func TestSystemsAreKeptApart(t *testing.T) {
	t.Parallel()
	h := testHeader(6)
	linux := shards(t, h, 3)
	mac := h
	mac.Host.OS, mac.Host.Arch, mac.Platforms = "darwin", "arm64", []string{"native"}
	apple := shards(t, mac, 2)
	got := results(t, append(apple, linux...)...)
	if want := append(results(t, apple...), results(t, linux...)...); !slices.Equal(got, want) {
		t.Errorf("two systems give %d trials, want %d", len(got), len(want))
	}
	m := merged(t, append(apple, linux...)...)
	if m.Partial {
		t.Errorf("containers are missed on a system that has none: %+v", m.Journals)
	}
	m = merged(t, append(apple[:1:1], linux...)...)
	if len(m.Missing) != 1 || m.Missing[0].System != "darwin/arm64" || m.Missing[0].Trials != 3*2+2 || m.Missing[0].Share != 0.5 {
		t.Errorf("missing: %+v", m.Missing)
	}
}

func TestUnfinishedTrialsMakeItPartial(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end       func(w *Writer) error
		partial   bool
		unstarted int
		lost      int
	}{
		"interrupted": {func(w *Writer) error { return w.Note(Note{Kind: NoteInterrupted}) }, true, 7, 0},
		"stopped":     {func(w *Writer) error { return w.Note(Note{Kind: NoteStopped}) }, false, 7, 0},
		"lost":        {func(w *Writer) error { return w.Start(Started{ID: "ctl/native/none#0004"}) }, true, 6, 1},
	} {
		dir := written(t, filepath.Join(t.TempDir(), "c"), testHeader(3), 13)
		w, _, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(c.end(w), w.Close()); err != nil {
			t.Fatal(err)
		}
		m := merged(t, dir)
		j := m.Journals[0]
		if m.Partial != c.partial || j.Planned != 20 || j.Unstarted() != c.unstarted || j.Counts[classify.Lost] != c.lost {
			t.Errorf("%s: partial %v, %d planned, %d not started, counts %v", name, m.Partial, j.Planned, j.Unstarted(), j.Counts)
		}
		n := 0
		if err := m.Each(func(t *Trial) error {
			if t.Outcome == classify.Lost && t.Kind == KindStarted {
				n++
			}
			return nil
		}); err != nil || n != c.lost {
			t.Errorf("%s: %d lost trials, want %d; %v", name, n, c.lost, err)
		}
	}
}

func TestMergeKeepsABoundedNumberOfNotes(t *testing.T) {
	t.Parallel()
	var forms []any
	for range 10 {
		forms = append(forms, noteLine{typeNote, &Note{Kind: NoteLook, Text: strings.Repeat("x", 1<<20)}})
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, FileName), encoded(t, testHeader(3), append(forms, noteLine{typeNote, &Note{Kind: NoteStopped}})...), 0o600); err != nil {
		t.Fatal(err)
	}
	if m := merged(t, dir); len(m.Journals[0].Notes) != 3 || m.Partial {
		t.Errorf("%d notes of 1 MB are kept; partial %v although the design stopped", len(m.Journals[0].Notes), m.Partial)
	}
}

// An artifact may be torn: it is read as far as it goes, and not repaired.
func TestTornJournalsAreReadAndNotTouched(t *testing.T) {
	t.Parallel()
	dirs := shards(t, testHeader(5), 2)
	whole := read(t, dirs[0])
	torn := t.TempDir()
	path := filepath.Join(torn, FileName)
	data := append(slices.Clone(whole), `{"type":"finis`...)
	if err := os.WriteFile(path, data, 0o400); err != nil {
		t.Fatal(err)
	}
	m := merged(t, torn, dirs[1])
	if len(m.Warnings) != 1 || !strings.Contains(m.Warnings[0], path) || !strings.Contains(m.Warnings[0], "torn (14 bytes)") || m.Journals[0].Torn != 14 {
		t.Errorf("warnings %q", m.Warnings)
	}
	if got, want := results(t, torn, dirs[1]), results(t, dirs...); !slices.Equal(got, want) {
		t.Errorf("a torn end changed the results")
	}
	if entries, _ := os.ReadDir(torn); len(entries) != 1 || !bytes.Equal(read(t, torn), data) {
		t.Errorf("the artifact was changed: %v", entries)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(`{"type":"hea`), 0o600); err != nil { // its harness did not come to anything
		t.Fatal(err)
	}
	m = merged(t, torn, dirs[1])
	if len(m.Warnings) != 1 || !strings.Contains(m.Warnings[0], "no header") || len(m.Missing) != 1 || !m.Partial {
		t.Errorf("without a header: warnings %q, missing %v", m.Warnings, m.Missing)
	}
	if _, err := merge(t, torn); !errors.Is(err, ErrNone) {
		t.Errorf("nothing but a journal without a header: %v", err)
	}
	bad := slices.Clone(whole)
	bad[len(bad)/2] ^= 1
	if err := os.WriteFile(path, bad, 0o600); err != nil {
		t.Fatal(err)
	}
	var d *DamagedError
	if _, err := merge(t, torn, dirs[1]); !errors.As(err, &d) || d.Path != path || d.Line < 2 {
		t.Errorf("damage in an artifact: %v", err)
	}
}

// Attempts that were made again long after, with lines longer than a window, out of order as several jobs at once leave them.
func TestEachFindsLinesWhereverTheyAre(t *testing.T) {
	t.Parallel()
	h := testHeader(400)
	dir := t.TempDir()
	w, err := Create(dir, h)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	var trials []plan.Trial
	for b := range h.Plan.Blocks(plan.Shard{}) {
		trials = append(trials, b.Trials...)
	}
	r := rand.New(rand.NewPCG(5, 6))
	for round := 1; round <= 3; round++ {
		for i := 0; i+8 <= len(trials); i += 8 { // eight at once
			var running []Finished
			for _, k := range r.Perm(8) {
				tr := trials[i+k]
				p := w.State().Progress(tr)
				if p.Done() || r.IntN(50) == 0 {
					continue
				}
				id := plan.AttemptID(tr.ID, p.Attempts+1)
				if err := w.Start(Started{ID: id}); err != nil {
					t.Fatal(err)
				}
				want[tr.ID] = fmt.Sprint(classify.Lost, 0, p.Attempts+1, p.Attempts+1)
				f := finished(id, classify.Broken, r.IntN(1000))
				if r.IntN(3) > 0 {
					f.Judgement.Outcome = classify.Pass
				}
				if r.IntN(40) == 0 {
					f.Observation.Fault = strings.Repeat("long ", 60_000)
				}
				running = append(running, f)
			}
			r.Shuffle(len(running), func(i, j int) { running[i], running[j] = running[j], running[i] })
			for _, f := range running {
				if r.IntN(20) == 0 {
					continue // lost
				}
				if err := w.Finish(f); err != nil {
					t.Fatal(err)
				}
				cell, number, attempt, err := plan.ParseID(f.ID)
				if err != nil {
					t.Fatal(err)
				}
				want[plan.TrialID(cell, number)] = fmt.Sprint(f.Judgement.Outcome, f.Observation.Wall.Milliseconds(), attempt, attempt)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	cells := h.Plan.Cells()
	n := 0
	if err := merged(t, dir).Each(func(tr *Trial) error {
		n++
		id := plan.TrialID(cells[tr.Cell].ID(), tr.Number)
		if got := fmt.Sprint(tr.Outcome, tr.Wall.Milliseconds(), tr.Attempt, tr.Attempts); got != want[id] {
			t.Errorf("%s: %s, want %s", id, got, want[id])
		}
		return nil
	}); err != nil || n != len(want) {
		t.Errorf("%d trials, want %d; %v", n, len(want), err)
	}
}

func TestEachSaysWhenAJournalChangedMeanwhile(t *testing.T) {
	t.Parallel()
	dir := written(t, filepath.Join(t.TempDir(), "c"), testHeader(5), -1)
	m := merged(t, dir)
	data := read(t, dir)
	at := bytes.LastIndex(data, []byte(`"outcome":"pass"`))
	for name, change := range map[string][]byte{"shorter": data[:len(data)-300], "other": append(append(slices.Clone(data[:at]), `"outcome":"fail"`...), data[at+16:]...)} {
		if err := os.WriteFile(filepath.Join(dir, FileName), change, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := m.Each(func(*Trial) error { return nil }); !errors.Is(err, errChanged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
