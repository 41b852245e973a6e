package campaign

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/harness/journal"
	"github.com/failrate/failrate/harness/plan"
	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
)

// scripted is an executor whose attempts end as the script says, by attempt id; without an entry they exit with 0.
type scripted struct {
	mu      sync.Mutex
	script  map[string]trial.Observation
	before  func(id string) // called before each attempt ends
	ran     []string
	request map[string]trial.Request
}

func (s *scripted) Execute(ctx context.Context, r trial.Request) trial.Observation {
	s.mu.Lock()
	s.ran = append(s.ran, r.ID)
	if s.request == nil {
		s.request = map[string]trial.Request{}
	}
	s.request[r.ID] = r
	obs, ok := s.script[r.ID]
	s.mu.Unlock()
	if s.before != nil {
		s.before(r.ID)
	}
	if ctx.Err() != nil {
		return trial.Observation{Exit: -1, Stopped: true}
	}
	if !ok {
		obs = trial.Observation{Wall: time.Millisecond}
	}
	return obs
}

func (s *scripted) attempts() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.ran...)
}

// bench is a small study with a real journal and a scripted executor.
type bench struct {
	t      testing.TB
	study  *study.Study
	plan   *plan.Plan
	dir    string
	exec   *scripted
	header journal.Header
}

// newBench makes a study of two variants, n trials each, and the controls given.
func newBench(t testing.TB, n int, controls ...study.Control) *bench {
	t.Helper()
	s := &study.Study{
		Name: "bench", Baseline: "a", Variants: []study.Variant{{Name: "a"}, {Name: "b"}}, Controls: controls,
		Platforms: []study.Platform{study.Native}, Stress: []study.Stress{{Name: "none"}}, Iterations: n,
		Subject: study.Subject{Command: []string{"subject"}, Results: study.Results{Format: study.ResultExit}, Timeout: time.Minute},
		Broken:  study.BrokenPolicy{Retries: 2, AtMost: 0.2}, Keep: study.KeepNone,
	}
	p, err := plan.New(s, "digest", plan.Selection{Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	return &bench{t: t, study: s, plan: p, dir: t.TempDir(), exec: &scripted{script: map[string]trial.Observation{}},
		header: journal.Header{Tool: "test", Campaign: "c", Plan: *p, PlanDigest: p.Digest(), Host: journal.Host{OS: "linux", Arch: "amd64"}, Jobs: 1, Attempt: 1}}
}

// run begins the campaign, or resumes it when its journal is there, and runs it once.
func (b *bench) run(ctx context.Context, change func(*Config)) (Summary, error) {
	b.t.Helper()
	rules, err := classify.Compile(b.study)
	if err != nil {
		b.t.Fatal(err)
	}
	past, err := ReadPast(b.dir, b.plan)
	if err != nil {
		b.t.Fatal(err)
	}
	w, err := journal.Create(b.dir, b.header)
	if err != nil {
		if w, _, err = journal.Open(b.dir); err != nil {
			b.t.Fatal(err)
		}
	}
	cfg := Config{
		Study: b.study, Plan: b.plan, Executors: map[study.Platform]trial.Executor{study.Native: b.exec}, Rules: rules,
		Recorder: w, Past: past, Files: Files{Results: b.dir, Scratch: b.t.TempDir()},
	}
	if change != nil {
		change(&cfg)
	}
	sum, err := Run(ctx, cfg)
	if closeErr := w.Close(); closeErr != nil && err == nil {
		b.t.Fatal(closeErr)
	}
	return sum, err
}

// outcomes reads the journal back: each attempt's outcome by id, in the order in which they ended.
func (b *bench) outcomes() (map[string]classify.Outcome, []string) {
	b.t.Helper()
	past, err := ReadPast(b.dir, b.plan)
	if err != nil {
		b.t.Fatal(err)
	}
	out := map[string]classify.Outcome{}
	var ids []string
	for id, r := range past.(journalPast) {
		out[id] = r.judgement.Outcome
		ids = append(ids, id)
	}
	return out, ids
}

func (b *bench) exits(variant string, numbers ...int) {
	for _, n := range numbers {
		b.exec.script[plan.TrialID(variant+"/native/none", n)] = trial.Observation{Exit: 1, Wall: time.Millisecond}
	}
}

func fault(text string) trial.Observation { return trial.Observation{Exit: -1, Fault: text} }

func count(ids []string, part string) int {
	n := 0
	for _, id := range ids {
		if strings.Contains(id, part) {
			n++
		}
	}
	return n
}
