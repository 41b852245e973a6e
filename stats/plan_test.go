package stats

import (
	"math"
	"testing"
)

// The number that the literature gives for Fisher's test of 20 % against 2 %, and what
// Boschloo saves.
func TestPlanCompareKnownAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		base, variant float64
		test          Test
		want          int64
	}{
		{0.20, 0.02, FisherTest, 52},
		{0.02, 0.20, FisherTest, 52},
		{0.16, 0, FisherTest, 48},
		{0.20, 0.02, BoschlooTest, 45},
		{0.16, 0, BoschlooTest, 41},
	} {
		got, err := PlanCompare(PlanRequest{Base: c.base, Variant: c.variant, Test: c.test})
		if err != nil || got.PerArm != c.want || !got.Exact || got.Power < 0.8 {
			t.Errorf("%s %v against %v: %+v, %v; want %d per arm", c.test, c.variant, c.base, got, err, c.want)
		}
	}
}

// The reference enumerates every pair of counts with SciPy's own tests.
func TestPowerMatchesSciPy(t *testing.T) {
	t.Parallel()
	type powerCase struct {
		Test          Test
		N             int
		Base, Variant float64
		Alpha, Power  float64
	}
	for _, c := range readReference[powerCase](t, "power.json") {
		got, err := PowerCompare(PlanRequest{Base: c.Base, Variant: c.Variant, Test: c.Test, Confidence: 1 - c.Alpha}, c.N)
		if err != nil || !near(got, c.Power, 1e-9) {
			t.Errorf("%+v: %v, %v", c, got, err)
		}
	}
}

// Membership of the region and the p-value of the test are computed along different
// ways; they must agree on every outcome.
func TestBoschlooRegionIsWhatTheTestRejects(t *testing.T) {
	t.Parallel()
	for _, arms := range [][2]int{{12, 12}, {23, 23}, {40, 40}, {17, 31}} {
		for _, limit := range []float64{0.025, 0.005} {
			set := boschlooStaircase(arms[0], arms[1], limit)
			for k1 := 0; k1 <= arms[0]; k1++ {
				for k2 := 0; k2 <= arms[1]; k2++ {
					p := boschlooLow(Count{int64(k1), int64(arms[0])}, Count{int64(k2), int64(arms[1])}, 1)
					if rejected := k2 >= int(set.from[k1]); rejected != (p <= limit) {
						t.Fatalf("arms %v limit %v: %d and %d: p %v, in the region %v", arms, limit, k1, k2, p, rejected)
					}
				}
			}
		}
	}
}

// The power of a plan is reached at its answer and not just before it.
func TestPlanCompareIsTight(t *testing.T) {
	t.Parallel()
	for _, r := range []PlanRequest{
		{Base: 0.5, Variant: 0.3}, {Base: 0.9, Variant: 0.99}, {Base: 0.05, Variant: 0.15, Power: 0.9},
		{Base: 0.16, Variant: 0.02, Family: 3}, {Base: 0.3, Variant: 0.1, Test: FisherTest, Confidence: 0.99},
		{Base: 1, Variant: 0},
	} {
		plan, err := PlanCompare(r)
		if err != nil {
			t.Fatal(err)
		}
		full, _ := r.withDefaults()
		if plan.Power < full.Power || full.power(int(plan.PerArm)) != plan.Power {
			t.Errorf("%+v: power %v at %d", r, plan.Power, plan.PerArm)
		}
		if before := full.power(int(plan.PerArm) - 1); before >= full.Power {
			t.Errorf("%+v: one trial less than %d already has power %v", r, plan.PerArm, before)
		}
		for i := 1; i < len(plan.Table); i++ {
			if plan.Table[i].PerArm <= plan.Table[i-1].PerArm {
				t.Errorf("%+v: table does not rise: %+v", r, plan.Table)
			}
		}
	}
}

// A family shares the error rate, so each comparison needs more trials.
func TestPlanCompareFamilyNeedsMore(t *testing.T) {
	t.Parallel()
	one, _ := PlanCompare(PlanRequest{Base: 0.2, Variant: 0.02})
	three, _ := PlanCompare(PlanRequest{Base: 0.2, Variant: 0.02, Family: 3})
	if three.PerArm <= one.PerArm {
		t.Errorf("three variants: %d per arm, one: %d", three.PerArm, one.PerArm)
	}
}

// Beyond enumeration the approximation must continue where the exact numbers end.
func TestPlanCompareBeyondEnumeration(t *testing.T) {
	t.Parallel()
	far, err := PlanCompare(PlanRequest{Base: 0.0101, Variant: 0.01})
	if err != nil || far.Exact || far.PerArm < 10_000_000 {
		t.Errorf("1.01 %% against 1 %%: %+v, %v", far, err)
	}
	exact, err := PlanCompare(PlanRequest{Base: 0.3, Variant: 0.2})
	if err != nil || !exact.Exact {
		t.Fatalf("%+v, %v", exact, err)
	}
	if approximate := normalTrials(0.3, 0.2, 0.05, 0.8); math.Abs(approximate/float64(exact.PerArm)-1) > 0.02 {
		t.Errorf("approximation %v, exact %d", approximate, exact.PerArm)
	}
}

func TestPlanShowUnder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		request          ShowUnderRequest
		failures, trials int64
	}{
		{ShowUnderRequest{Bound: 0.02}, 0, 189},                               // z²/(n+z²) <= 0.02
		{ShowUnderRequest{Bound: 0.02, Method: MethodClopperPearson}, 0, 183}, // 1-0.025^(1/n)
		{ShowUnderRequest{Bound: 0.05, Confidence: 0.99}, 0, 127},
	} {
		got, err := PlanShowUnder(c.request)
		if err != nil || got.Failures != c.failures || got.Trials != c.trials || got.Power != 1 {
			t.Errorf("%+v: %+v, %v", c.request, got, err)
		}
	}
	// At a true rate of 0.5 %: check the answer against the definition.
	r := ShowUnderRequest{Bound: 0.02, Rate: 0.005}
	got, err := PlanShowUnder(r)
	if err != nil {
		t.Fatal(err)
	}
	shown := func(k, n int64) bool { iv, _ := Wilson(Count{k, n}, 0.95); return iv.High <= r.Bound }
	if !shown(got.Failures, got.Trials) || shown(got.Failures, got.Trials-1) || shown(got.Failures+1, got.Trials) {
		t.Errorf("%+v is not the edge of what shows it", got)
	}
	sum := 0.0
	for k := int64(0); k <= got.Failures; k++ {
		sum += binomialProb(float64(k), float64(got.Trials), r.Rate, 1-r.Rate)
	}
	if !near(got.Power, sum, 1e-10) || got.Power < 0.8 {
		t.Errorf("power %v, summed %v", got.Power, sum)
	}
	if n := len(got.Table); n != int(got.Failures)+1 || got.Table[n-2].Power >= 0.8 {
		t.Errorf("table %+v", got.Table)
	}
}

func TestPlansRefuseBadInput(t *testing.T) {
	t.Parallel()
	for _, r := range []PlanRequest{
		{}, {Base: 0.1, Variant: 0.1}, {Base: -0.1, Variant: 0.1}, {Base: 0.1, Variant: math.NaN()},
		{Base: 0.1, Variant: 0.2, Power: 1}, {Base: 0.1, Variant: 0.2, Confidence: 2}, {Base: 16, Variant: 2},
	} {
		if got, err := PlanCompare(r); err == nil {
			t.Errorf("%+v: %+v", r, got)
		}
	}
	if _, err := PowerCompare(PlanRequest{Base: 0.1, Variant: 0.2}, 0); err == nil {
		t.Error("power at no trials")
	}
	for _, r := range []ShowUnderRequest{{}, {Bound: 2}, {Bound: 0.02, Rate: 0.02}, {Bound: 0.02, Rate: math.NaN()}, {Bound: 0.02, Method: "x"}, {Bound: 0.02, Rate: 0.0199999}} {
		if got, err := PlanShowUnder(r); err == nil {
			t.Errorf("%+v: %+v", r, got.ShowUnderRow)
		}
	}
}
