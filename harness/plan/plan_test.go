package plan

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/failrate/failrate/harness/study"
)

func TestPlanSurvivesJSON(t *testing.T) {
	t.Parallel()
	forRandomPlans(t, func(t *testing.T, _ *rand.Rand, _ *study.Study, p *Plan) {
		b, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var back Plan
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatal(err)
		}
		if back.Digest() != p.Digest() || !slices.Equal(trialIDs(blocks(&back, Shard{})), trialIDs(blocks(p, Shard{}))) {
			t.Error("the plan that was read back is another one")
		}
	})
}

func TestDigestDiffersWithEverythingThatMatters(t *testing.T) {
	t.Parallel()
	base := func() (*study.Study, Selection) {
		return &study.Study{Name: "s", Baseline: "a", Variants: []study.Variant{{Name: "a"}, {Name: "b"}}, Iterations: 3,
			Controls:  []study.Control{{Variant: study.Variant{Name: "c"}, Iterations: 2}},
			Platforms: []study.Platform{study.Native, study.Container}, Stress: []study.Stress{{Name: "none"}, {Name: "cpu-2x"}},
			Parameters: []study.Parameter{{Name: "d", Values: []string{"1", "2"}}}}, Selection{Seed: 1}
	}
	seen := map[string]string{}
	for name, change := range map[string]func(*study.Study, *Selection){
		"nothing":    func(*study.Study, *Selection) {},
		"seed":       func(_ *study.Study, sel *Selection) { sel.Seed = 1<<53 + 1 },
		"next seed":  func(_ *study.Study, sel *Selection) { sel.Seed = 1 << 53 },
		"iterations": func(_ *study.Study, sel *Selection) { sel.Iterations = 4 },
		"variants":   func(_ *study.Study, sel *Selection) { sel.Variants = []string{"a"} },
		"platforms":  func(_ *study.Study, sel *Selection) { sel.Platforms = []study.Platform{study.Native} },
		"stress":     func(_ *study.Study, sel *Selection) { sel.Stress = []string{"none"} },
		"parameters": func(_ *study.Study, sel *Selection) { sel.Parameters = map[string][]string{"d": {"2"}} },
		"controls":   func(_ *study.Study, sel *Selection) { sel.NoControls = true },
		"baseline":   func(s *study.Study, _ *Selection) { s.Baseline = "b" },
		"name":       func(s *study.Study, _ *Selection) { s.Name = "t" },
	} {
		s, sel := base()
		change(s, &sel)
		p, err := New(s, "digest", sel)
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := seen[p.Digest()]; ok {
			t.Errorf("%s and %s give the same digest", name, other)
		}
		seen[p.Digest()] = name
	}
}

func TestNewRefusesNamesThatTheStudyLacks(t *testing.T) {
	t.Parallel()
	for want, sel := range map[string]Selection{
		`no variant "x" (there is ["v0"`: {Variants: []string{"x"}},
		`no platform "bare" (there is [`: {Platforms: []study.Platform{"bare"}},
		`no stress level "cpu-9x"`:       {Stress: []string{"cpu-9x"}},
		`no parameter "q"`:               {Parameters: map[string][]string{"q": {"1"}}},
		"iterations must be at least 1":  {Iterations: -1},
	} {
		s := randomStudy(rand.New(rand.NewPCG(1, 1)))
		if _, err := New(s, "digest", sel); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("selection %+v gives %v, want %q", sel, err, want)
		}
	}
}

func TestNewRefusesAValueThatJSONCannotHold(t *testing.T) {
	t.Parallel()
	s := randomStudy(rand.New(rand.NewPCG(1, 1)))
	s.Parameters = []study.Parameter{{Name: "p", Values: []string{"ok", "\xff"}}}
	if p, err := New(s, "digest", Selection{}); err == nil {
		t.Errorf("a value that is not UTF-8 is planned: %v", p.Cells()[1].ID())
	}
}

func TestBaselineAlwaysComesAlong(t *testing.T) {
	t.Parallel()
	forRandomPlans(t, func(t *testing.T, r *rand.Rand, s *study.Study, _ *Plan) {
		wanted := s.Variants[r.IntN(len(s.Variants))].Name
		p, err := New(s, "digest", Selection{Variants: []string{wanted}, NoControls: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, st := range p.Strata {
			var names []string
			for _, c := range st.Cells {
				names = append(names, c.Variant)
			}
			if !slices.Contains(names, s.Baseline) || !slices.Contains(names, wanted) || len(st.Controls) > 0 {
				t.Errorf("selecting %s with baseline %s gives %q", wanted, s.Baseline, names)
			}
		}
	})
}
