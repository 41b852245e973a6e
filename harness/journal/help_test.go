package journal

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/harness/plan"
	"github.com/failrate/failrate/harness/trial"
)

// epoch is when the tests' campaigns take place.
var epoch = time.Date(2026, 1, 2, 3, 4, 5, 678901234, time.UTC)

// testPlan is a plan of two variants natively and in containers, with a control that runs twice before and twice after.
func testPlan(trials int) plan.Plan {
	p := plan.Plan{Study: "s", StudyDigest: "d1", Seed: 7, Iterations: trials, Baseline: "a"}
	for _, platform := range []string{"container", "native"} {
		s := plan.Stratum{Stress: "none"}
		cell := plan.Cell{Stress: "none", Trials: trials}
		switch platform {
		case "container":
			s.Platform, cell.Platform = "container", "container"
		case "native":
			s.Platform, cell.Platform = "native", "native"
		}
		for _, v := range []string{"a", "b"} {
			cell.Variant = v
			s.Cells = append(s.Cells, cell)
		}
		cell.Variant, cell.Control, cell.Trials = "ctl", true, 4
		s.Controls = append(s.Controls, cell)
		p.Strata = append(p.Strata, s)
	}
	return p
}

func testHeader(trials int) Header {
	p := testPlan(trials)
	return Header{Version: Version, Tool: "1.2.3", Campaign: "c1", PlanDigest: p.Digest(), Plan: p, Rules: "r1", Attempt: 1, Design: "fixed", Jobs: 1,
		Host: Host{Name: "h", OS: "linux", Arch: "amd64", Cores: 2}, Created: epoch}
}

// finished is a record with something in every member that a Record shows.
func finished(id string, o classify.Outcome, n int) Finished {
	cores, throttled := 1.5, int64(n)
	f := Finished{ID: id,
		Observation: trial.Observation{Started: epoch.Add(time.Duration(n) * time.Second), Wall: time.Duration(n) * time.Millisecond,
			Output: trial.Captured{Bytes: 12345, SHA256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"},
			Load:   &trial.Load{Asked: "cpu 2x", Cores: &cores, Throttled: &throttled},
			Facts:  trial.Facts{"image": "sha256:0a1b", "kernel": "6.18"}},
		Judgement: classify.Judgement{Outcome: o, Evidence: []string{"cut"}, Metrics: map[string]float64{"delay_us": float64(n) / 4, "bytes": 1},
			Facts: map[string]string{"gomaxprocs": "4"}, Rounds: &classify.Rounds{N: 10, Failed: n % 3, Broken: n % 2, Unexercised: n % 4}}}
	if o == classify.Fail {
		f.Judgement.Class, f.Judgement.Reason, f.Judgement.Excerpt = "committed", "rule 1: <Broken pipe> & more", "head\n\x1b[31m\"crc\":\"00000000\"}\u2028tail"
		f.Judgement.Rounds.Classes = map[string]int{"committed": n % 3}
	}
	return f
}

// outcomeOf is a deterministic subject: 1 in 4 trials of b fails, in class committed.
func outcomeOf(t plan.Trial) classify.Outcome {
	if t.Cell.Variant == "b" && t.Number%4 == 1 {
		return classify.Fail
	}
	return classify.Pass
}

// run does the trials of the shard that are not done, as a campaign would, up to a number of them; negative means all.
func run(t testing.TB, w *Writer, most int) {
	t.Helper()
	h := w.State().Header()
	shard, _ := h.check()
	n := 0
	for b := range h.Plan.Blocks(shard) {
		for _, tr := range b.Trials {
			p := w.State().Progress(tr)
			if p.Done() || !h.takes(string(tr.Cell.Platform)) {
				continue
			}
			if n++; most >= 0 && n > most {
				return
			}
			id := plan.AttemptID(tr.ID, p.Attempts+1)
			if err := w.Start(Started{ID: id, Started: epoch}); err != nil {
				t.Fatal(err)
			}
			if err := w.Finish(finished(id, outcomeOf(tr), tr.Number)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// written makes a results folder whose campaign ran up to a number of trials.
func written(t testing.TB, dir string, h Header, most int) string {
	t.Helper()
	w, err := Create(dir, h)
	if err != nil {
		t.Fatal(err)
	}
	run(t, w, most)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// encoded is a journal in memory: the header and then each record, in one of the line forms.
func encoded(t testing.TB, h Header, forms ...any) []byte {
	t.Helper()
	var out, buf bytes.Buffer
	sum := uint32(0)
	var err error
	for _, form := range append([]any{headerLine{typeHeader, &h}}, forms...) {
		if sum, err = seal(&buf, form, sum); err != nil {
			t.Fatal(err)
		}
		out.Write(buf.Bytes())
	}
	return out.Bytes()
}

func start(id string) any { return startedLine{typeStarted, &Started{ID: id, Started: epoch}} }

func finish(id string, o classify.Outcome) any {
	f := finished(id, o, 1)
	return finishedLine{typeFinished, &f}
}

// texts replays a journal into one line of text for each record, so that two replays can be compared.
func texts(data []byte) (out []string, s Stats, err error) {
	s, err = Replay(bytes.NewReader(data), "journal.jsonl", func(r *Record) error {
		out = append(out, fmt.Sprintf("%d:%d kind %d %d#%d!%d %v %s %v", r.Line, r.Offset, r.Kind, r.Cell, r.Number, r.Attempt, r.Outcome, r.Class, r.Wall))
		return nil
	})
	return out, s, err
}

func read(t testing.TB, dir string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, FileName))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
