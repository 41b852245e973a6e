package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/failrate/failrate/harness/campaign"
	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/harness/journal"
	"github.com/failrate/failrate/harness/plan"
	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
	"github.com/failrate/failrate/reports"
	"github.com/failrate/failrate/stats"
)

// alpha is what a verdict promises: of campaigns that compare a thing with itself, at most this share calls it different.
const alpha = 0.05

// world is where the campaigns below run: every trial fails with the probability of its machine, whatever the variant.
type world struct {
	name     string
	until    untilOptions
	n        int       // trials per arm, or the most of them
	machines []float64 // the failure rate of each machine; more than one is a sharded campaign
	seed     uint64
}

// worlds are one for each design, and one whose shards ran on unequal machines.
func worlds() []world {
	verdict := func(design stats.Design) untilOptions {
		return untilOptions{Until: "verdict", Design: string(design), Tell: "66%:16%"}
	}
	return []world{
		{name: "fixed", n: 100, machines: []float64{0.16}, seed: 1},
		{name: "group-sequential", until: verdict(stats.DesignGroupSequential), n: 100, machines: []float64{0.16}, seed: 2},
		{name: "anytime", until: verdict(stats.DesignAnytime), n: 100, machines: []float64{0.16}, seed: 3},
		{name: "unequal machines", n: 100, machines: []float64{0.02, 0.5, 0.1, 0.3}, seed: 4},
	}
}

// TestTheSameIsNotCalledDifferent runs whole campaigns, from plan to table, of two variants that are the same (an A/A
// test): 500 a world with FAULTS=long, 20 otherwise. The seeds are fixed, so the counts are too.
func TestTheSameIsNotCalledDifferent(t *testing.T) {
	t.Parallel()
	campaigns := 20
	if os.Getenv("FAULTS") == "long" {
		campaigns = 500
	}
	for _, w := range worlds() {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			different := w.different(t, campaigns, 0)
			most := mostByChance(campaigns, alpha)
			t.Logf("%d of %d A/A campaigns called different; up to %d would agree with %g %%", different, campaigns, most, 100*alpha)
			if different > most {
				t.Errorf("%d of %d campaigns of identical variants end in better, worse or fixed: more than %g %% of them", different, campaigns, 100*alpha)
			}
			// The same campaigns must be able to see a difference, or the count above proves nothing.
			if seen := w.different(t, 10, 0.5); seen < 9 {
				t.Errorf("only %d of 10 campaigns see a baseline that fails by half more often", seen)
			}
		})
	}
}

// different counts the campaigns whose verdict says that the variants differ. The baseline fails by extra more often.
func (w world) different(t *testing.T, campaigns int, extra float64) int {
	t.Helper()
	verdicts := make([]stats.Verdict, campaigns)
	var g errgroup.Group
	g.SetLimit(2)
	for i := range campaigns {
		dir := t.TempDir()
		g.Go(func() (err error) {
			verdicts[i], err = w.campaign(t.Context(), dir, uint64(i), extra)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, v := range verdicts {
		switch v {
		case stats.VerdictFixed, stats.VerdictBetter, stats.VerdictWorse:
			n++
		case stats.VerdictEquivalent, stats.VerdictInconclusive:
		default:
			t.Fatalf("verdict %q", v)
		}
	}
	return n
}

// campaign runs one campaign, a shard a machine, and gives the verdict of the merged table.
func (w world) campaign(ctx context.Context, dir string, number uint64, extra float64) (stats.Verdict, error) {
	s := &study.Study{
		Name: "aa", Baseline: "a", Variants: []study.Variant{{Name: "a"}, {Name: "b"}}, Platforms: []study.Platform{study.Native},
		Stress: []study.Stress{{Name: "none"}}, Iterations: w.n, Claims: study.Claims{Confidence: 1 - alpha, Tolerate: 0.05},
		Subject: study.Subject{Command: []string{"subject"}, Results: study.Results{Format: study.ResultExit}, Timeout: time.Minute},
		Broken:  study.BrokenPolicy{AtMost: 1}, Keep: study.KeepNone,
	}
	p, err := plan.New(s, "aa", plan.Selection{Seed: number})
	if err != nil {
		return "", err
	}
	rules, err := classify.Compile(s)
	if err != nil {
		return "", err
	}
	var dirs []string
	for m, rate := range w.machines {
		shard := plan.Shard{}
		if len(w.machines) > 1 {
			shard = plan.Shard{Index: m + 1, Of: len(w.machines)}
		}
		results := filepath.Join(dir, fmt.Sprint(m))
		dirs = append(dirs, results)
		dice := dice{rate: rate, extra: extra, random: rand.New(rand.NewPCG(w.seed<<32+number, uint64(m)))}
		if err := w.shard(ctx, s, p, rules, shard, results, &dice); err != nil {
			return "", err
		}
	}
	table, err := reports.Read(dirs)
	if err != nil {
		return "", err
	}
	for _, c := range table.Strata[0].Cells {
		if c.Comparison != nil {
			return c.Comparison.Verdict, nil
		}
	}
	return "", fmt.Errorf("campaign %d compares nothing", number)
}

func (w world) shard(ctx context.Context, s *study.Study, p *plan.Plan, rules *classify.Rules, shard plan.Shard, dir string, exec trial.Executor) error {
	h := journal.Header{
		Tool: "test", Campaign: "aa", Plan: *p, PlanDigest: p.Digest(), Attempt: 1, Jobs: 1, Design: w.until.design(), Shard: shard.String(),
		Host:  journal.Host{Name: fmt.Sprint("machine-", shard.Index), OS: "linux", Arch: "amd64"},
		Study: journal.Texts{Claims: journal.Claims{Confidence: s.Claims.Confidence, Tolerate: s.Claims.Tolerate}},
	}
	record, err := journal.Create(dir, h)
	if err != nil {
		return err
	}
	defer func() { _ = record.Close() }() // the second one, when all went well
	cfg := campaign.Config{
		Study: s, Plan: p, Shard: shard, Executors: map[study.Platform]trial.Executor{study.Native: exec}, Rules: rules,
		Recorder: record, Files: campaign.Files{Results: dir, Scratch: dir},
	}
	look, err := w.until.looker(s, p)
	if err != nil {
		return err
	}
	if look != nil {
		cfg.Looker = look
	}
	if _, err := campaign.Run(ctx, cfg); err != nil {
		return err
	}
	if look != nil {
		if err := record.Note(journal.Note{Kind: journal.NoteLook, Text: "last looks", Data: look.Last()}); err != nil {
			return err
		}
	}
	return record.Close()
}

// dice is a machine on which every trial fails with one probability; the baseline with a larger one, if asked.
type dice struct {
	rate, extra float64
	random      *rand.Rand
}

// Execute throws once. Trials run one at a time, in the plan's order.
func (d *dice) Execute(_ context.Context, r trial.Request) trial.Observation {
	rate := d.rate
	if r.Variant == "a" {
		rate = min(1, rate+d.extra)
	}
	o := trial.Observation{Started: time.Now(), Wall: time.Millisecond}
	if d.random.Float64() < rate {
		o.Exit = 1
	}
	return o
}

// mostByChance is the largest count that n throws at probability p exceed in less than one case of 10,000.
func mostByChance(n int, p float64) int {
	term, sum, k := math.Pow(1-p, float64(n)), 0.0, 0
	for ; k < n; k++ {
		if sum += term; 1-sum < 1e-4 {
			break
		}
		term *= float64(n-k) / float64(k+1) * p / (1 - p)
	}
	return k
}
