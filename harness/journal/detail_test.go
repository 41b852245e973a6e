package journal

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/failrate/failrate/harness/classify"
)

// TestDetailIsWhatFinishedHas reads random records in both ways, into one Record, so that what one leaves would show.
func TestDetailIsWhatFinishedHas(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	texts := []string{"", "a", "<b> & \"c\"", "tab\tnew\nline\x1b[31m", "\u2028é𝄞"}
	p := testPlan(9)
	index, err := p.Index()
	if err != nil {
		t.Fatal(err)
	}
	parser, r := &parser{index: index, full: true}, Record{}
	for n := range 2000 {
		f := finished(fmt.Sprintf("a/native/none#%04d", 1+n%9), classify.Outcomes()[n%7], n)
		text := func() string { return texts[random.IntN(len(texts))] }
		o, j := &f.Observation, &f.Judgement
		o.User, o.System, o.MaxRSS = time.Duration(random.Int64N(1e12)), time.Duration(random.Int64N(3)), random.Int64N(2)<<40
		o.Exit, o.Signal, o.Output.Bytes = random.IntN(258)-1, text(), random.Int64N(1<<50)
		j.Reason, j.Excerpt, j.Evidence = text(), text(), nil
		for range random.IntN(3) {
			j.Evidence = append(j.Evidence, text())
		}
		j.Metrics = map[string]float64{"m": math.Ldexp(random.NormFloat64(), random.IntN(200)-100)}
		var line bytes.Buffer
		if _, err := seal(&line, finishedLine{typeFinished, &f}, 0); err != nil {
			t.Fatal(err)
		}
		if err := parser.record(bytes.TrimSuffix(line.Bytes(), []byte("\n")), &r); err != nil {
			t.Fatal(err)
		}
		got := *r.Detail
		got.Evidence = append([]string(nil), got.Evidence...)
		want := Detail{User: o.User, System: o.System, MaxRSS: o.MaxRSS, Exit: o.Exit, Signal: o.Signal, Output: o.Output.Bytes,
			Reason: j.Reason, Excerpt: j.Excerpt, Evidence: j.Evidence}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("record %d: %+v, want %+v", n, got, want)
		}
		if r.Metrics[0].Value != j.Metrics["m"] {
			t.Fatalf("record %d: metric %v, want %v", n, r.Metrics[0].Value, j.Metrics["m"])
		}
	}
}

// TestDetailOnlyWhenAskedFor keeps counting light, and what was read in full out of it.
func TestDetailOnlyWhenAskedFor(t *testing.T) {
	t.Parallel()
	m := merged(t, written(t, t.TempDir(), testHeader(3), -1))
	details := func(each func(func(*Trial) error) error) (n int) {
		if err := each(func(tr *Trial) error {
			if tr.Detail != nil {
				n++
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := details(m.EachInFull); n != 20 { // 2 platforms × (2 variants × 3 + 4 of the control)
		t.Errorf("%d trials have their detail, want 20", n)
	}
	if n := details(m.Each); n != 0 {
		t.Errorf("%d trials have a detail that nobody asked for", n)
	}
}
