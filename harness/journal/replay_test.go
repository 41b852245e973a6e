package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/harness/plan"
	"github.com/failrate/failrate/harness/trial"
)

const id1, id2 = "a/native/none#0001", "b/native/none#0001"

// small is a journal with every kind of record, of 9 lines.
func small(t testing.TB) []byte {
	return encoded(t, testHeader(3), noteLine{typeNote, &Note{Kind: NoteLook, Text: "a\nb", Data: map[string]string{"crc": "00000000"}, At: epoch}},
		start(id1), finish(id1, classify.Fail), start(id2), finish(id2, classify.Broken), start(plan.AttemptID(id2, 2)),
		start("a/native/none#0002"), finish(plan.AttemptID(id2, 2), classify.Pass))
}

func TestReplayGivesEveryRecordWithItsPlace(t *testing.T) {
	t.Parallel()
	data := small(t)
	got, stats, err := texts(data)
	if err != nil || stats.Records != 9 || stats.Bytes != int64(len(data)) || stats.Torn != 0 {
		t.Fatalf("%d records, %d of %d bytes, %d torn, %v", stats.Records, stats.Bytes, len(data), stats.Torn, err)
	}
	if !reflect.DeepEqual(stats.Header, testHeader(3)) {
		t.Errorf("the header is %+v", stats.Header)
	}
	offset := 0
	for i, line := range bytes.SplitAfter(data, []byte("\n"))[:9] {
		if want := fmt.Sprintf("%d:%d ", i+1, offset); !strings.HasPrefix(got[i], want) {
			t.Errorf("record %q, want it at %s", got[i], want)
		}
		offset += len(line)
	}
	for i, want := range []string{"kind 1", "kind 4", "kind 2 3#1!1", "kind 3 3#1!1 fail committed 1ms", "kind 2 4#1!1", "kind 3 4#1!1 broken",
		"kind 2 4#1!2", "kind 2 3#2!1", "kind 3 4#1!2 pass"} {
		if !strings.Contains(got[i], want) {
			t.Errorf("record %q, want %q", got[i], want)
		}
	}
}

func TestReplayDoesNotDependOnHowTheBytesArrive(t *testing.T) {
	t.Parallel()
	data := small(t)
	want, _, _ := texts(data)
	for name, r := range map[string]io.Reader{"byte by byte": iotest.OneByteReader(bytes.NewReader(data)),
		"half": iotest.HalfReader(bytes.NewReader(data)), "with the end": iotest.DataErrReader(bytes.NewReader(data))} {
		var got []string
		if _, err := Replay(r, "j", func(r *Record) error {
			got = append(got, fmt.Sprintf("%d:%d", r.Line, r.Offset))
			return nil
		}); err != nil || len(got) != len(want) {
			t.Errorf("%s: %d records, %v", name, len(got), err)
		}
	}
	broken := errors.New("the disk says no")
	if _, err := Replay(io.MultiReader(bytes.NewReader(data), iotest.ErrReader(broken)), "j", func(*Record) error { return nil }); !errors.Is(err, broken) {
		t.Errorf("a read error came out as %v", err)
	}
}

// A journal much longer than a batch, so that batches begin in the middle, and lines longer than one.
func TestReplayOverManyBatches(t *testing.T) {
	t.Parallel()
	var forms []any
	var offsets []int
	h := testHeader(2000)
	for n := 1; n <= 2000; n++ {
		id := plan.TrialID("a/native/none", n)
		forms = append(forms, start(id), finish(id, classify.Pass))
		if n%500 == 0 {
			forms = append(forms, noteLine{typeNote, &Note{Kind: "long", Text: strings.Repeat("x", 3*chunk), At: epoch}})
		}
	}
	data := encoded(t, h, forms...)
	_, stats, err := texts(data)
	if err != nil || stats.Records != int64(1+len(forms)) || stats.ledger.tally[3][classify.Pass] != 2000 {
		t.Fatalf("%d records, %v", stats.Records, err)
	}
	for i, c := range data {
		if c == '\n' {
			offsets = append(offsets, i+1)
		}
	}
	for _, line := range []int{1, 900, 2500, 4002} { // damage deep inside: position counted over batches
		bad := slices.Clone(data)
		bad[offsets[line]+20] ^= 1
		var d *DamagedError
		if _, _, err := texts(bad); !errors.As(err, &d) || d.Line != int64(line+2) || d.Offset != int64(offsets[line]) {
			t.Errorf("damage in line %d at byte %d came out as %v", line+2, offsets[line], err)
		}
	}
}

func TestRecordShowsWhatWasWritten(t *testing.T) {
	t.Parallel()
	want := finished(id1, classify.Fail, 5)
	data := encoded(t, testHeader(3), start(id1), finishedLine{typeFinished, &want})
	if _, err := Replay(bytes.NewReader(data), "j", func(r *Record) error {
		if r.Kind != KindFinished {
			return nil
		}
		full, err := r.Finished()
		if err != nil {
			return err
		}
		if !reflect.DeepEqual(full, want) {
			t.Errorf("in full: %+v, want %+v", full, want)
		}
		if r.Outcome != classify.Fail || r.Class != "committed" || r.Wall != want.Observation.Wall || !r.At.Equal(want.Observation.Started) {
			t.Errorf("outcome %v, class %q, wall %v, at %v", r.Outcome, r.Class, r.Wall, r.At)
		}
		if !reflect.DeepEqual(r.Metrics, []Metric{{"bytes", 1}, {"delay_us", 1.25}}) {
			t.Errorf("metrics %v", r.Metrics)
		}
		if !reflect.DeepEqual(r.Facts, []Fact{{"image", "sha256:0a1b"}, {"kernel", "6.18"}}) || !reflect.DeepEqual(r.Reported, []Fact{{"gomaxprocs", "4"}}) {
			t.Errorf("facts %v, reported %v", r.Facts, r.Reported)
		}
		if !reflect.DeepEqual(r.Rounds, want.Judgement.Rounds) || !reflect.DeepEqual(r.Load, want.Observation.Load) {
			t.Errorf("rounds %+v, load %+v", r.Rounds, r.Load)
		}
		if _, err := r.Note(); err == nil {
			t.Error("a finished record was decoded as a note")
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// A Record is used again for the next line: nothing of the line before may show.
func TestRecordForgetsTheLineBefore(t *testing.T) {
	t.Parallel()
	p := testPlan(3)
	x, err := p.Index()
	if err != nil {
		t.Fatal(err)
	}
	full := finished(id1, classify.Fail, 5)
	bare := Finished{ID: id2, Observation: trial.Observation{Exit: 0}, Judgement: classify.Judgement{Outcome: classify.Pass}}
	parser := &parser{index: x}
	parse := func(f Finished, r *Record) {
		var buf bytes.Buffer
		if _, err := seal(&buf, finishedLine{typeFinished, &f}, 0); err != nil {
			t.Fatal(err)
		}
		if err := parser.record(bytes.TrimSpace(buf.Bytes()), r); err != nil {
			t.Fatal(err)
		}
	}
	var used, fresh Record
	parse(full, &used)
	parse(bare, &used)
	parse(bare, &fresh)
	if len(used.Metrics)+len(used.Facts)+len(used.Reported) > 0 || used.Rounds != nil || used.Load != nil || used.Class != "" {
		t.Errorf("the record still shows %+v", used)
	}
	parse(full, &used)
	parse(Finished{ID: id2, Observation: full.Observation, Judgement: classify.Judgement{Outcome: classify.Pass, Rounds: &classify.Rounds{N: 1}}}, &used)
	if len(used.Rounds.Classes) > 0 || used.Rounds.N != 1 {
		t.Errorf("the record still shows rounds %+v", used.Rounds)
	}
}

func TestReplayRefusesWhatCannotHaveHappened(t *testing.T) {
	t.Parallel()
	h := testHeader(3)
	sharded := h
	sharded.Shard = "2/3"
	for _, c := range []struct {
		name   string
		header Header
		forms  []any
		want   string
	}{
		{"a finish without a start", h, []any{finish(id1, classify.Pass)}, "attempt 1 finishes and is not running"},
		{"two finishes", h, []any{start(id1), finish(id1, classify.Pass), finish(id1, classify.Pass)}, "attempt 1 finishes and is not running"},
		{"two starts", h, []any{start(id1), start(id1)}, "attempt 1 starts after attempt 1"},
		{"an attempt left out", h, []any{start(id1), start(plan.AttemptID(id1, 3))}, "attempt 3 starts after attempt 1"},
		{"a second attempt first", h, []any{start(plan.AttemptID(id1, 2))}, "attempt 2 starts after attempt 0"},
		{"a second chance after a fail", h, []any{start(id1), finish(id1, classify.Fail), start(plan.AttemptID(id1, 2))}, "attempt 2 starts although attempt 1 ended in fail"},
		{"a second chance after unexercised", h, []any{start(id1), finish(id1, classify.Unexercised), start(plan.AttemptID(id1, 2))}, "ended in unexercised"},
		{"an end that is lost", h, []any{start(id1), finish(id1, classify.Lost)}, "an attempt that finishes cannot be lost"},
		{"a late finish", h, []any{start(id1), start(plan.AttemptID(id1, 2)), finish(id1, classify.Pass)}, "attempt 1 finishes and is not running"},
		{"an unknown cell", h, []any{start("x/native/none#0001")}, `the plan holds no trial "x/native/none#0001"`},
		{"an unknown number", h, []any{start("a/native/none#0004")}, "the plan holds no trial"},
		{"number zero", h, []any{start("a/native/none#0000")}, "no id of an attempt"},
		{"another spelling", h, []any{start("a/native/none#1")}, "no id of an attempt"},
		{"another shard's trial", sharded, []any{start(id1)}, "the trial is not of shard 2/3"},
		{"a second header", h, []any{headerLine{typeHeader, &h}}, "a second header"},
		{"an unknown record", h, []any{map[string]string{"type": "surprise"}}, `there is no record of type "surprise"`},
		{"an unknown outcome", h, []any{start(id1), map[string]any{"type": "finished", "id": id1, "observation": 1, "judgement": map[string]string{"outcome": "great"}}}, `unknown outcome "great"`},
		{"no judgement", h, []any{start(id1), map[string]any{"type": "finished", "id": id1}}, "lacks its observation or its judgement"},
		{"no type", h, []any{map[string]string{"kind": "x"}}, `there is no record of type ""`},
	} {
		data := encoded(t, c.header, c.forms...)
		var d *DamagedError
		_, _, err := texts(data)
		if !errors.As(err, &d) || !strings.Contains(d.What, c.want) || d.Line != int64(1+len(c.forms)) || !errors.Is(err, ErrDamaged) || !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestReplayRefusesHeaders(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*Header)
		want   string
		kind   error
	}{
		"another version": {func(h *Header) { h.Version = 2; h.Tool = "9.9" }, "format is version 2, and this failrate reads version 1", ErrDiffers},
		"another digest":  {func(h *Header) { h.PlanDigest = "x" }, "the plan's digest is", ErrDamaged},
		"another plan":    {func(h *Header) { h.Plan.Seed++ }, "the plan's digest is", ErrDamaged},
		"shard 0/20":      {func(h *Header) { h.Shard = "0/20" }, `shard "0/20" is not`, ErrDamaged},
		"shard 21/20":     {func(h *Header) { h.Shard = "21/20" }, `shard "21/20" is not`, ErrDamaged},
		"no attempt":      {func(h *Header) { h.Attempt = 0 }, "the attempt is 0", ErrDamaged},
		"too many trials": {func(h *Header) { h.Plan.Strata[0].Cells[0].Trials = math.MaxInt; h.PlanDigest = h.Plan.Digest() }, "a plan has 0 to", ErrDamaged},
		"a cell twice":    {func(h *Header) { h.Plan.Strata[0].Cells[0].Variant = "b"; h.PlanDigest = h.Plan.Digest() }, "twice", ErrDamaged},
	} {
		h := testHeader(3)
		c.change(&h)
		_, _, err := texts(encoded(t, h))
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, c.kind) || !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	data := encoded(t, testHeader(3), start(id1))
	_, second, _ := bytes.Cut(data, []byte("\n"))
	if _, _, err := texts(second); !errors.Is(err, ErrDamaged) {
		t.Errorf("a journal that begins with a started record: %v", err)
	}
	for _, text := range []string{"", "{", `{"type":"head`, "\x00\x00\x00"} {
		if _, s, err := texts([]byte(text)); !errors.Is(err, ErrEmpty) || s.Torn != int64(len(text)) {
			t.Errorf("%q: %v, %d bytes torn", text, err, s.Torn)
		}
	}
	for _, text := range []string{"\n", "PK\x03\x04", "<html>\n", "{}\n", "\x00\n"} {
		if _, _, err := texts([]byte(text)); !errors.Is(err, ErrDamaged) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestReplayHandsOnTheCallersError(t *testing.T) {
	t.Parallel()
	stop := errors.New("enough")
	n := 0
	_, err := Replay(bytes.NewReader(small(t)), "j", func(*Record) error {
		if n++; n == 3 {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) || n != 3 {
		t.Errorf("%v after %d records", err, n)
	}
}

func TestReplayRefusesALineWithoutEnd(t *testing.T) {
	t.Parallel()
	data := append(encoded(t, testHeader(3), start(id1)), lineOpen...)
	endless := io.MultiReader(bytes.NewReader(data), io.LimitReader(zeros{}, 1<<40))
	var d *DamagedError
	if _, err := Replay(endless, "j", func(*Record) error { return nil }); !errors.As(err, &d) || d.Line != 3 || !strings.Contains(d.What, "longer than") {
		t.Errorf("an endless line: %v", err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// The trial's result is its last attempt that is finished and neither broken nor lost, else its last attempt.
func TestWhichAttemptDecides(t *testing.T) {
	t.Parallel()
	second, third := plan.AttemptID(id1, 2), plan.AttemptID(id1, 3)
	for _, c := range []struct {
		name    string
		forms   []any
		result  int
		outcome classify.Outcome
		running bool
	}{
		{"none", nil, 0, 0, false},
		{"started", []any{start(id1)}, 1, classify.Lost, true},
		{"finished", []any{start(id1), finish(id1, classify.Timeout)}, 1, classify.Timeout, false},
		{"broken", []any{start(id1), finish(id1, classify.Broken)}, 1, classify.Broken, false},
		{"broken, running again", []any{start(id1), finish(id1, classify.Broken), start(second)}, 2, classify.Lost, true},
		{"broken twice", []any{start(id1), finish(id1, classify.Broken), start(second), finish(second, classify.Broken)}, 2, classify.Broken, false},
		{"lost, then finished", []any{start(id1), start(second), finish(second, classify.Fail)}, 2, classify.Fail, false},
		{"broken, lost, then finished", []any{start(id1), finish(id1, classify.Broken), start(second), start(third), finish(third, classify.Pass)}, 3, classify.Pass, false},
		{"lost twice", []any{start(id1), start(second)}, 2, classify.Lost, true},
		{"censored", []any{start(id1), finish(id1, classify.Censored)}, 1, classify.Censored, false},
		{"censored, running again", []any{start(id1), finish(id1, classify.Censored), start(second)}, 1, classify.Censored, true},
		{"censored, then broken", []any{start(id1), finish(id1, classify.Censored), start(second), finish(second, classify.Broken)}, 1, classify.Censored, false},
		{"censored, then finished", []any{start(id1), finish(id1, classify.Censored), start(second), finish(second, classify.Pass)}, 2, classify.Pass, false},
		{"censored twice", []any{start(id1), finish(id1, classify.Censored), start(second), finish(second, classify.Censored)}, 2, classify.Censored, false},
	} {
		_, stats, err := texts(encoded(t, testHeader(3), c.forms...))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		s := &State{ledger: stats.ledger}
		p := s.Progress(plan.Trial{Index: 3, Number: 1})
		if p.Result != c.result || p.Outcome != c.outcome || p.Running != c.running {
			t.Errorf("%s: %+v, want attempt %d with %v, running %v", c.name, p, c.result, c.outcome, c.running)
		}
		want := Counts{}
		if c.outcome != 0 {
			want[c.outcome] = 1
		}
		if got := s.Counts(3); got != want {
			t.Errorf("%s: counts %v, want %v", c.name, got, want)
		}
		switch c.outcome {
		case classify.Pass, classify.Fail, classify.Timeout, classify.Unexercised:
			if !p.Done() {
				t.Errorf("%s is not done", c.name)
			}
		case classify.Broken, classify.Censored, classify.Lost, 0:
			if p.Done() {
				t.Errorf("%s is done", c.name)
			}
		}
	}
}

func TestBriefReadsWhatRecordReads(t *testing.T) {
	t.Parallel()
	p := testPlan(3)
	index, err := p.Index()
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(small(t)), []byte("\n"))
	for _, o := range classify.Outcomes() {
		var buf bytes.Buffer
		if _, err := seal(&buf, finish(id1, o), 0); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, bytes.TrimSpace(bytes.Clone(buf.Bytes())))
	}
	lines = append(lines, []byte(`{"type":"finished","judgement":{"outcome":"fail"},"observation":{},"id":"`+id1+`","crc":"00000000"}`),
		[]byte(`{"type":"started","id":"a\/native\/none#0001","crc":"00000000"}`),
		[]byte(`{"type":"finished","id":"`+id1+`","observation":{"fault":",\"judgement\":{\"outcome\":\"pass\""},"judgement":{"outcome":"fail"},"crc":"00000000"}`))
	a, b := &parser{index: index}, &parser{index: index}
	for _, line := range lines {
		var full, brief Record
		errFull, errBrief := a.record(line, &full), b.brief(line, &brief)
		if errFull != nil || errBrief != nil {
			t.Errorf("%s: %v and %v", line, errFull, errBrief)
		}
		if full.Kind != brief.Kind || full.Cell != brief.Cell || full.Number != brief.Number || full.Attempt != brief.Attempt || full.Outcome != brief.Outcome {
			t.Errorf("%s: brief reads %+v, record %+v", line, brief, full)
		}
	}
}
