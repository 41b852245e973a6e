package reports

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/harness/journal"
	"github.com/failrate/failrate/harness/plan"
	"github.com/failrate/failrate/harness/trial"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// epoch is when the tests' campaigns take place.
var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// hostile holds what could come alive in some format.
const hostile = "a|b {c} <img src=x onerror=alert(1)> \x1b[31mred\nnewline ]]> @torvalds #123 https://evil.example/x www.evil.example " +
	"GH-7 SOLR-18530 [~admin] h1. :tada: deadbeefcafe `code` *bold* =cmd|'/c calc'!A1 </script><!-- \u202e"

// campaignSpec describes a small campaign that a test writes down.
type campaignSpec struct {
	id         string
	seed       uint64
	trials     int
	platforms  []string
	variants   []string // the first is the baseline
	parameters []string // values of "delay"; empty means none
	exposure   float64
	texts      journal.Texts
	facts      map[string]string
	repeat     []string
	// outcome decides a trial; the zero value passes.
	outcome func(plan.Trial) journal.Finished
}

// write makes the campaign's results folder.
func (s campaignSpec) write(t testing.TB) string {
	t.Helper()
	return s.writeShard(t, filepath.Join(t.TempDir(), "results"), s.header(), plan.Shard{})
}

// writeShard makes the results folder of a shard.
func (s campaignSpec) writeShard(t testing.TB, dir string, h journal.Header, shard plan.Shard) string {
	t.Helper()
	w, err := journal.Create(dir, h)
	if err != nil {
		t.Fatal(err)
	}
	at := epoch
	for b := range h.Plan.Blocks(shard) {
		for _, tr := range b.Trials {
			f := s.outcome(tr)
			f.ID, f.Observation.Started = tr.ID, at
			at = at.Add(f.Observation.Wall)
			if err := w.Start(journal.Started{ID: tr.ID, Started: f.Observation.Started}); err != nil {
				t.Fatal(err)
			}
			if f.Judgement.Outcome == classify.Lost {
				continue
			}
			if err := w.Finish(f); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func (s campaignSpec) header() journal.Header {
	p := plan.Plan{Study: "soft-commit", StudyDigest: "d1", Seed: s.seed, Iterations: s.trials, Baseline: s.variants[0]}
	for _, platform := range s.platforms {
		for _, value := range append(s.parameters, "")[:max(1, len(s.parameters))] {
			st := plan.Stratum{Stress: "cpu-2x"}
			cell := plan.Cell{Stress: "cpu-2x", Trials: s.trials}
			if value != "" {
				st.Parameters = []plan.Setting{{Name: "delay", Value: value}}
				cell.Parameters = st.Parameters
			}
			switch platform {
			case "container":
				st.Platform, cell.Platform = "container", "container"
			case "native":
				st.Platform, cell.Platform = "native", "native"
			}
			for _, v := range s.variants {
				cell.Variant = v
				st.Cells = append(st.Cells, cell)
			}
			p.Strata = append(p.Strata, st)
		}
	}
	texts := s.texts
	texts.Exposure = s.exposure
	return journal.Header{
		Version: journal.Version, Tool: "1.2.3", Campaign: s.id, PlanDigest: p.Digest(), Plan: p, Rules: "r1", Attempt: 1, Design: "fixed", Jobs: 2,
		Host:    journal.Host{Name: "h", OS: "linux", Arch: "amd64", Kernel: "6.18", CPU: "a CPU", Cores: 2, Facts: s.facts},
		Created: epoch, Study: texts, Repeat: s.repeat,
	}
}

// judged makes the record of an outcome with something in every member.
func judged(o classify.Outcome, class, excerpt string, n int) journal.Finished {
	cores := 1.9
	f := journal.Finished{
		Observation: trial.Observation{
			Wall: time.Duration(1000+n) * time.Millisecond, User: 3 * time.Millisecond, Output: trial.Captured{Bytes: 12},
			Load: &trial.Load{Asked: "cpu 2x", Cores: &cores}, Facts: trial.Facts{"kernel": "6.18"},
		},
		Judgement: classify.Judgement{Outcome: o, Evidence: []string{"recovered"}, Metrics: map[string]float64{"delay_us": float64(n)}},
	}
	if o != classify.Pass {
		f.Observation.Exit = 1
		f.Judgement.Class, f.Judgement.Reason, f.Judgement.Excerpt = class, "exit status 1", excerpt
	}
	return f
}

// hostileTable is one table with hostile texts wherever a text can be, and every outcome.
func hostileTable(t testing.TB) *Table {
	t.Helper()
	bad := strings.ReplaceAll(hostile, "!", "")
	long := strings.Repeat("x", 1<<20)
	spec := campaignSpec{
		id: "c1", seed: 7, trials: 20, platforms: []string{"native"}, variants: []string{"base", bad, "broken|by {all}"}, exposure: 0.5,
		texts:  journal.Texts{Title: hostile, Source: hostile, Conditions: hostile, Warnings: []string{hostile + long}},
		facts:  map[string]string{hostile: hostile},
		repeat: []string{"failrate", "measure", "-c", hostile, "-c", "a=it's", "--seed=7"},
		outcome: func(tr plan.Trial) journal.Finished {
			class := hostile
			if tr.Number == 2 {
				class = long
			}
			o := classify.Outcomes()[(tr.Number-1)%7]
			if tr.Index == 0 && tr.Number%3 > 0 {
				o = classify.Fail
			}
			f := judged(o, class, hostile+"\n"+strings.Repeat("y", 500), tr.Number)
			if o != classify.Fail {
				f.Judgement.Class = ""
			}
			f.Judgement.Reason += " " + hostile
			f.Judgement.Evidence = []string{hostile}
			return f
		},
	}
	table, err := Read([]string{spec.write(t)})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// plainTable is a campaign like one that people have: one variant fixed, one that changed nothing.
func plainTable(t testing.TB, trials int) *Table {
	t.Helper()
	table, err := Read([]string{plainSpec("c1", 7, trials).write(t)})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func plainSpec(id string, seed uint64, trials int) campaignSpec {
	return campaignSpec{
		id: id, seed: seed, trials: trials, platforms: []string{"container", "native"}, variants: []string{"baseline", "leaders-only", "old-client"},
		parameters: []string{"0s", "50us", "1ms"},
		texts:      journal.Texts{Title: "recovery", Conditions: "worst case, not the CI rate", Claims: journal.Claims{Tolerate: 0.05, Confidence: 0.95}},
		repeat:     []string{"failrate", "measure", "soft-commit", "--seed=7"},
		outcome: func(tr plan.Trial) journal.Finished {
			switch k := (tr.Number*7 + int(seed)) % 20; {
			case tr.Cell.Variant == "leaders-only":
			case k < 4:
				return judged(classify.Fail, "committed", "IOException\nBroken pipe", tr.Number)
			case k == 19:
				return judged(classify.Timeout, "", "", 9000)
			case k == 18:
				return judged(classify.Broken, "", "no space left", tr.Number)
			}
			return judged(classify.Pass, "", "", tr.Number)
		},
	}
}

// golden compares with a file in testdata.
func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", file)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		at := 0
		for at < len(got) && at < len(want) && got[at] == want[at] {
			at++
		}
		t.Errorf("%s differs at byte %d (go test ./reports -update rewrites it):\n got …%q\nwant …%q", path, at, around(got, at), around(want, at))
	}
}

func around(b []byte, at int) []byte { return b[max(0, at-60):min(len(b), at+60)] }

type journalFinished = journal.Finished

// withRounds gives a record 10 rounds: all of them failed in a failed trial, 5 of 5 in one that timed out.
func withRounds(f journal.Finished, n int) journal.Finished {
	switch f.Judgement.Outcome {
	case classify.Fail:
		f.Judgement.Rounds = &classify.Rounds{N: 10, Failed: 10, Classes: map[string]int{"committed": 10}}
	case classify.Timeout:
		f.Judgement.Rounds = &classify.Rounds{N: 5, Failed: 5}
	case classify.Pass:
		f.Judgement.Rounds = &classify.Rounds{N: 10}
	case classify.Unexercised, classify.Broken, classify.Censored, classify.Lost:
	}
	return f
}
