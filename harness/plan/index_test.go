package plan

import (
	"math/rand/v2"
	"testing"

	"github.com/failrate/failrate/harness/study"
)

func TestIndexKnowsExactlyThePlannedTrials(t *testing.T) {
	t.Parallel()
	forRandomPlans(t, func(t *testing.T, _ *rand.Rand, _ *study.Study, p *Plan) {
		x, err := p.Index()
		if err != nil {
			t.Fatal(err)
		}
		planned := map[string]bool{}
		for _, id := range trialIDs(blocks(p, Shard{})) {
			planned[id] = true
		}
		for i, c := range p.Cells() {
			if at, ok := x.Find([]byte(c.ID())); !ok || at != i {
				t.Errorf("Find(%q) = %d, %v, want %d", c.ID(), at, ok, i)
			}
			last := 0
			for n := -1; n <= x.Max(i)+3; n++ {
				if got, want := x.Has(i, n), planned[TrialID(c.ID(), n)]; got != want {
					t.Errorf("Has(%s, %d) = %v, want %v", c.ID(), n, got, want)
				}
				if x.Has(i, n) {
					last = n
				}
			}
			if last != x.Max(i) {
				t.Errorf("Max(%s) = %d, but the last trial is %d", c.ID(), x.Max(i), last)
			}
		}
		if x.Trials() != p.Trials() || x.Cells() != len(p.Cells()) {
			t.Errorf("the index holds %d trials of %d cells, the plan %d of %d", x.Trials(), x.Cells(), p.Trials(), len(p.Cells()))
		}
		if _, ok := x.Find([]byte("no/such/cell")); ok {
			t.Error("the index finds a cell that is not there")
		}
	})
}

func TestIndexRefusesPlansThatNewCannotMake(t *testing.T) {
	t.Parallel()
	cell := func(variant string, trials int) Cell {
		return Cell{Variant: variant, Platform: study.Native, Stress: "none", Trials: trials}
	}
	for name, cells := range map[string][]Cell{
		"negative": {cell("a", -1)},
		"huge":     {cell("a", MaxTrials+1)},
		"overflow": {cell("a", MaxTrials), cell("b", MaxTrials)},
		"max int":  {cell("a", 1), cell("b", int(^uint(0)>>1))},
		"twice":    {cell("a", 1), cell("a", 1)},
	} {
		p := Plan{Strata: []Stratum{{Platform: study.Native, Stress: "none", Cells: cells}}}
		if _, err := p.Index(); err == nil {
			t.Errorf("%s: a plan with cells %v is accepted", name, cells)
		}
	}
}
