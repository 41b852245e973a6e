package plan

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/failrate/failrate/harness/study"
)

// hostile are parameter values that mean something in an id, in a path or to a shell.
var hostile = []string{"0s", "50us", "a/b", "#0042", "!2", "x=y", "%2F", "a b", "..", "ä", "\x00", "\n", "?", ""}

// randomStudy makes a study that study.Load could have returned: names are unique and the baseline is a variant.
func randomStudy(r *rand.Rand) *study.Study {
	s := &study.Study{Name: "random", Iterations: 1 + r.IntN(12)}
	for i := range 1 + r.IntN(4) {
		s.Variants = append(s.Variants, study.Variant{Name: fmt.Sprintf("v%d", i)})
	}
	s.Baseline = s.Variants[r.IntN(len(s.Variants))].Name
	for i := range r.IntN(3) {
		s.Controls = append(s.Controls, study.Control{Variant: study.Variant{Name: fmt.Sprintf("c%d", i)}, Iterations: 1 + r.IntN(6)})
	}
	s.Platforms = [][]study.Platform{{study.Native}, {study.Container}, {study.Container, study.Native}}[r.IntN(3)]
	for i := range 1 + r.IntN(3) {
		s.Stress = append(s.Stress, study.Stress{Name: fmt.Sprintf("cpu-%dx", i)})
	}
	for i := range r.IntN(3) {
		p := study.Parameter{Name: fmt.Sprintf("p%d", i)}
		for _, j := range r.Perm(len(hostile))[:1+r.IntN(3)] {
			p.Values = append(p.Values, hostile[j])
		}
		s.Parameters = append(s.Parameters, p)
	}
	return s
}

// forRandomPlans runs a property on plans of 200 random studies. The case's number is enough to repeat it.
func forRandomPlans(t *testing.T, property func(t *testing.T, r *rand.Rand, s *study.Study, p *Plan)) {
	t.Helper()
	for i := range uint64(200) {
		r := rand.New(rand.NewPCG(i, 7))
		s := randomStudy(r)
		p, err := New(s, "digest", Selection{Seed: r.Uint64()})
		if err != nil {
			t.Fatalf("study %d: %v", i, err)
		}
		property(t, r, s, p)
		if t.Failed() {
			t.Fatalf("the property fails for study %d: %+v", i, s)
		}
	}
}

// blocks collects a shard's blocks.
func blocks(p *Plan, shard Shard) []Block {
	var out []Block
	for b := range p.Blocks(shard) {
		out = append(out, b)
	}
	return out
}

// trialIDs lists the ids of all trials in the order in which they run.
func trialIDs(bs []Block) []string {
	var out []string
	for _, b := range bs {
		for _, t := range b.Trials {
			out = append(out, t.ID)
		}
	}
	return out
}
