package stats

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// campaign feeds a design simulated blocks until it stops and returns the last look.
func campaign(t *testing.T, g *GroupSequential, rng *rand.Rand, base, variant float64, each func(Look)) Look {
	t.Helper()
	var b, v Count
	for {
		for next := int64(g.Next()); b.N < next; {
			b, v = b.Add(draw(rng, base, 1)), v.Add(draw(rng, variant, 1))
		}
		l, err := g.Look(b, v)
		if err != nil {
			t.Fatal(err)
		}
		if each != nil {
			each(l)
		}
		if l.Decision != DecisionContinue {
			return l
		}
	}
}

// The bar that the design has to clear: at most three quarters of the trials of the
// fixed Fisher design, with no less power. Computed, not simulated.
func TestGroupSequentialIsCheaperThanFixedFisher(t *testing.T) {
	t.Parallel()
	for _, tell := range []Tell{{0.16, 0}, {0.20, 0.02}} {
		fixed, err := PlanCompare(PlanRequest{Base: tell.Base, Variant: tell.Variant, Test: FisherTest})
		if err != nil {
			t.Fatal(err)
		}
		g, err := NewGroupSequential(SequentialRequest{Tell: &tell, Claims: Claims{Power: fixed.Power}})
		if err != nil {
			t.Fatal(err)
		}
		o := g.Operating(tell.Base, tell.Variant)
		share := o.MeanArm / float64(fixed.PerArm)
		t.Logf("%v: fixed Fisher %d per arm, power %.4f; at most %d, mean %.2f (%.1f %%), power %.4f",
			tell, fixed.PerArm, fixed.Power, g.MaxPerArm(), o.MeanArm, 100*share, o.Better)
		if share > 0.65 || o.Better < fixed.Power {
			t.Errorf("%v: %.1f %% of the trials at power %v, fixed has %v", tell, 100*share, o.Better, fixed.Power)
		}
		for _, p := range []float64{0.01, 0.02, 0.05, 0.16, 0.5} {
			none := g.Operating(p, p)
			if none.Better+none.Worse > 0.05 || none.MeanArm >= 0.75*float64(fixed.PerArm) {
				t.Errorf("no difference at %v: false verdicts %v, mean %v", p, none.Better+none.Worse, none.MeanArm)
			}
		}
	}
}

// Short version of stats/simulate: the object, driven as a campaign drives it, behaves as
// the computation says.
func TestGroupSequentialSimulated(t *testing.T) {
	t.Parallel()
	const campaigns = 800
	g, err := NewGroupSequential(SequentialRequest{Tell: &Tell{0.2, 0.02}, DecisionsOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, rates := range [][2]float64{{0.2, 0.02}, {0.02, 0.2}, {0.01, 0.01}, {0.02, 0.02}, {0.05, 0.05}, {0.16, 0.16}, {0.5, 0.5}} {
		rng := rand.New(rand.NewPCG(20, uint64(i)))
		verdicts, trials := map[Verdict]float64{}, 0.0
		for range campaigns {
			l := campaign(t, g.Restart(), rng, rates[0], rates[1], nil)
			verdicts[l.Verdict] += 1.0 / campaigns
			trials += float64(l.Base.N) / campaigns
		}
		want := g.Operating(rates[0], rates[1])
		slack := func(p float64) float64 { return 4*math.Sqrt(p*(1-p)/campaigns) + 1e-3 }
		if math.Abs(verdicts[VerdictBetter]-want.Better) > slack(want.Better) ||
			math.Abs(verdicts[VerdictWorse]-want.Worse) > slack(want.Worse) ||
			math.Abs(trials-want.MeanArm) > 1 {
			t.Errorf("%v: %v, mean %v; want %+v", rates, verdicts, trials, want)
		}
		if false2 := verdicts[VerdictBetter] + verdicts[VerdictWorse]; rates[0] == rates[1] && false2 > 0.05+slack(0.05) {
			t.Errorf("%v: false verdicts in %v of campaigns", rates, false2)
		}
	}
}

// The intervals of all looks of a campaign together hold the truth.
func TestGroupSequentialIntervalsHoldAtEveryLook(t *testing.T) {
	t.Parallel()
	const campaigns = 250
	g, err := NewGroupSequential(SequentialRequest{MaxPerArm: 60, Every: 5})
	if err != nil {
		t.Fatal(err)
	}
	for i, rates := range [][2]float64{{0.2, 0.02}, {0.16, 0.16}, {0.5, 0.3}, {0.05, 0}, {0.9, 0.5}} {
		rng := rand.New(rand.NewPCG(30, uint64(i)))
		missed := map[string]float64{}
		for range campaigns {
			in := map[string]bool{}
			campaign(t, g.Restart(), rng, rates[0], rates[1], func(l Look) {
				in["difference"] = in["difference"] || !l.Difference.Contains(rates[1]-rates[0])
				in["rate"] = in["rate"] || !l.Rate.Contains(rates[1])
				in["base"] = in["base"] || !l.BaseRate.Contains(rates[0])
				in["ratio"] = in["ratio"] || !l.Ratio.Contains(rates[1]/rates[0])
				if l.Difference.Level != 0.95 || l.Difference.Method != MethodGroupSeq {
					t.Fatalf("interval %+v does not name its design", l.Difference)
				}
			})
			for name, miss := range in {
				if miss {
					missed[name] += 1.0 / campaigns
				}
			}
		}
		for name, share := range missed {
			if share > 0.05+3*math.Sqrt(0.05*0.95/campaigns) {
				t.Errorf("%v: the intervals of the %s miss in %v of campaigns", rates, name, share)
			}
		}
	}
}

// A campaign that has no looks planned beyond the end is a fixed design.
func TestGroupSequentialOfOneLook(t *testing.T) {
	t.Parallel()
	g, err := NewGroupSequential(SequentialRequest{MaxPerArm: 45, Every: 45})
	if err != nil {
		t.Fatal(err)
	}
	if looks := g.Looks(); len(looks) != 1 || looks[0] != 45 {
		t.Fatalf("looks %v", looks)
	}
	// Not fewer rejections than Boschloo's test of the same size.
	fixed, err := PowerCompare(PlanRequest{Base: 0.2, Variant: 0.02}, 45)
	if err != nil {
		t.Fatal(err)
	}
	if got := g.Operating(0.2, 0.02).Better; got < fixed {
		t.Errorf("power %v, Boschloo's %v", got, fixed)
	}
}

func TestGroupSequentialVerdictsAgreeWithPValues(t *testing.T) {
	t.Parallel()
	g, err := NewGroupSequential(SequentialRequest{MaxPerArm: 40, Every: 10, Family: 2, Claims: Claims{Margin: 0.9}})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 5))
	seen := map[Decision]bool{}
	for range 400 {
		base, variant := rng.Float64(), rng.Float64()
		l := campaign(t, g.Restart(), rng, base, variant, nil)
		seen[l.Decision] = true
		shown := l.Verdict == VerdictBetter || l.Verdict == VerdictWorse
		if shown != (l.AdjustedP < l.Alpha) || l.AdjustedP != min(1, 2*l.P) {
			t.Fatalf("%+v", l)
		}
		inside := l.Difference.Low < 0 && l.Difference.High > 0
		if (shown && inside) || (!shown && !l.Difference.Contains(0)) {
			t.Fatalf("verdict %s with a difference from %v to %v", l.Verdict, l.Difference.Low, l.Difference.High)
		}
		if (l.Further != nil) != (l.Verdict == VerdictInconclusive) {
			t.Fatalf("verdict %s, further %+v", l.Verdict, l.Further)
		}
	}
	if !seen[DecisionVerdict] {
		t.Errorf("decisions %v", seen)
	}
}

// Resuming replays the looks; it must end in the same place. A look may also be left out.
func TestGroupSequentialResumes(t *testing.T) {
	t.Parallel()
	g, err := NewGroupSequential(SequentialRequest{MaxPerArm: 30, Every: 5})
	if err != nil {
		t.Fatal(err)
	}
	first, err := g.Look(Count{1, 5}, Count{0, 5})
	if err != nil || first.Decision != DecisionContinue || g.Next() != 10 {
		t.Fatalf("%+v, %v, next %d", first, err, g.Next())
	}
	second, err := g.Look(Count{3, 10}, Count{0, 10})
	if err != nil {
		t.Fatal(err)
	}
	again := g.Restart()
	if _, err := again.Look(Count{1, 5}, Count{0, 5}); err != nil {
		t.Fatal(err)
	}
	replayed, err := again.Look(Count{3, 10}, Count{0, 10})
	if err != nil || replayed.Evidence != second.Evidence || replayed.Number != second.Number {
		t.Errorf("replayed %+v, %v; want %+v", replayed, err, second)
	}
	skipped, err := g.Restart().Look(Count{20, 25}, Count{0, 25})
	if err != nil || skipped.Verdict != VerdictBetter || skipped.P > 0.05 || g.Next() != 15 {
		t.Errorf("one late look: %+v, %v", skipped, err)
	}
}

func TestGroupSequentialRefusesMisuse(t *testing.T) {
	t.Parallel()
	for _, r := range []SequentialRequest{
		{}, {MaxPerArm: -1}, {MaxPerArm: 5000}, {Tell: &Tell{0.1, 0.1}}, {Tell: &Tell{0.1, math.NaN()}},
		{Tell: &Tell{0.10, 0.101}}, {MaxPerArm: 50, Spending: -1}, {MaxPerArm: 50, Futility: 1}, {MaxPerArm: 50, Every: -1},
		{MaxPerArm: 50, Claims: Claims{Confidence: 95}}, {MaxPerArm: 50, Spending: math.NaN()}, {MaxPerArm: 50, Futility: math.NaN()},
	} {
		if _, err := NewGroupSequential(r); err == nil {
			t.Errorf("%+v accepted", r)
		}
	}
	g, err := NewGroupSequential(SequentialRequest{MaxPerArm: 30, Every: 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		base, variant Count
		want          string
	}{
		{Count{0, 7}, Count{0, 7}, "next planned one is at 10"},
		{Count{0, 10}, Count{0, 9}, "only blocks in which both count"},
		{Count{11, 10}, Count{0, 10}, "baseline"},
	} {
		if _, err := g.Look(c.base, c.variant); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v %v: %v, want %q", c.base, c.variant, err, c.want)
		}
	}
	if _, err := g.Look(Count{10, 10}, Count{0, 10}); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Look(Count{20, 20}, Count{0, 20}); err == nil || g.Next() != 0 {
		t.Errorf("a look after the verdict: %v, next %d", err, g.Next())
	}
}
