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

func FuzzLocateAgreesWithParseID(f *testing.F) {
	p := Plan{Strata: []Stratum{{Platform: study.Native, Stress: "none",
		Cells:    []Cell{{Variant: "a", Platform: study.Native, Stress: "none", Trials: 20000}},
		Controls: []Cell{{Variant: "c", Platform: study.Native, Stress: "none", Trials: 6}, {Variant: "d", Platform: study.Native, Stress: "none", Trials: 20}}}}}
	x, err := p.Index()
	if err != nil {
		f.Fatal(err)
	}
	for _, id := range []string{"a/native/none#0042", "a/native/none#12345!11", "a/native/none#20001", "a/native/none#0042!1", "a/native/none#042",
		"c/native/none#0003", "c/native/none#0004", "c/native/none#0011", "d/native/none#0020", "b/native/none#0001", "a/native/none#00042", "#0001"} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		cell, number, attempt, err := x.Locate([]byte(id))
		name, wantNumber, wantAttempt, wantErr := ParseID(id)
		wantCell, ok := x.Find([]byte(name))
		switch {
		case wantErr == nil && ok && x.Has(wantCell, wantNumber) && wantAttempt < 1e9:
			if err != nil || cell != wantCell || number != wantNumber || attempt != wantAttempt {
				t.Errorf("Locate(%q) = %d, %d, %d, %v, want %d, %d, %d", id, cell, number, attempt, err, wantCell, wantNumber, wantAttempt)
			}
		case err == nil:
			t.Errorf("Locate(%q) = %d, %d, %d, but ParseID gives %q, %d, %v", id, cell, number, attempt, name, wantNumber, wantErr)
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
