package stats

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
)

func judgeOne(t *testing.T, base, variant Arm, claims Claims) Comparison {
	t.Helper()
	out, err := Judge(base, []Arm{variant}, claims)
	if err != nil {
		t.Fatal(err)
	}
	return out[0]
}

func TestJudgeGivesEachVerdict(t *testing.T) {
	t.Parallel()
	claims := Claims{Tolerate: 0.02, Margin: 0.05}
	for _, c := range []struct {
		name          string
		base, variant Count
		claims        Claims
		want          Verdict
	}{
		{"0 of 200 is at most 1.9 %", Count{32, 200}, Count{0, 200}, claims, VerdictFixed},
		{"0 of 100 could still be 3.7 %", Count{16, 100}, Count{0, 100}, claims, VerdictBetter},
		{"nothing is tolerated", Count{32, 200}, Count{0, 200}, Claims{}, VerdictBetter},
		{"more failures", Count{2, 100}, Count{16, 100}, claims, VerdictWorse},
		{"a low rate that rose is not fixed", Count{0, 100000}, Count{100, 100000}, claims, VerdictWorse},
		{"the same rate, many trials", Count{100, 1000}, Count{101, 1000}, claims, VerdictEquivalent},
		{"the same without a margin", Count{100, 1000}, Count{101, 1000}, Claims{}, VerdictInconclusive},
		{"real but inside the margin", Count{1000, 10000}, Count{800, 10000}, claims, VerdictBetter},
		{"few trials", Count{3, 20}, Count{0, 20}, claims, VerdictInconclusive},
		{"no failures at all, few trials", Count{0, 5}, Count{0, 5}, Claims{}, VerdictInconclusive},
	} {
		got := judgeOne(t, Arm{Name: "baseline", Count: c.base}, Arm{Name: "v", Count: c.variant}, c.claims)
		if got.Verdict != c.want {
			t.Errorf("%s: %s (%s), want %s", c.name, got.Verdict, got.Reason, c.want)
		}
		if got.Reason == "" || (got.Further != nil) != (got.Verdict == VerdictInconclusive) {
			t.Errorf("%s: reason %q, further %+v", c.name, got.Reason, got.Further)
		}
	}
}

// At each threshold of a definition the verdict must change, and only there.
func TestVerdictThresholds(t *testing.T) {
	t.Parallel()
	fixed := Evidence{
		AdjustedP: 0.049, Alpha: 0.05, Lower: true, Tolerate: 0.02, Margin: 0.1,
		Rate: Interval{High: 0.02}, Difference: Interval{Low: -0.09, High: -0.01},
	}
	for _, c := range []struct {
		name   string
		change func(*Evidence)
		want   Verdict
	}{
		{"as it is", func(*Evidence) {}, VerdictFixed},
		{"upper bound above the tolerated rate", func(e *Evidence) { e.Rate.High = 0.0201 }, VerdictBetter},
		{"p at alpha", func(e *Evidence) { e.AdjustedP = 0.05 }, VerdictEquivalent},
		{"higher rate", func(e *Evidence) { e.Lower = false }, VerdictWorse},
		{"p at alpha, difference at the margin", func(e *Evidence) { e.AdjustedP, e.Difference.Low = 0.05, -0.1 }, VerdictInconclusive},
		{"p at alpha, difference at the margin above", func(e *Evidence) { e.AdjustedP, e.Difference.High = 0.05, 0.1 }, VerdictInconclusive},
		{"p at alpha, no margin", func(e *Evidence) { e.AdjustedP, e.Margin = 0.05, 0 }, VerdictInconclusive},
		{"p is not a number", func(e *Evidence) { e.AdjustedP, e.Margin = math.NaN(), 0 }, VerdictInconclusive},
	} {
		e := fixed
		c.change(&e)
		if got := e.Verdict(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestEveryVerdictHasAReason(t *testing.T) {
	t.Parallel()
	seen := map[Verdict]string{}
	for _, e := range []Evidence{
		{AdjustedP: 0.001, Alpha: 0.05, Lower: true, Tolerate: 0.02, Rate: Interval{High: 0.0187}},
		{AdjustedP: 0.001, Alpha: 0.05, Lower: true, Tolerate: 0.02, Rate: Interval{High: 0.04}},
		{AdjustedP: 0.001, Alpha: 0.05, Difference: Interval{Low: 0.1, High: 0.2}},
		{AdjustedP: 0.5, Alpha: 0.05, Margin: 0.05, Difference: Interval{Low: -0.01, High: 0.02}},
		{AdjustedP: 0.5, Alpha: 0.05, Difference: Interval{Low: -0.1, High: 0.2}},
	} {
		seen[e.Verdict()] = e.Reason()
	}
	for _, v := range Verdicts() {
		if seen[v] == "" {
			t.Errorf("%s: no reason given", v)
		}
	}
	if want := "adjusted p 0.001 is below 0.05, and the rate is at most 1.9 %, within the tolerated 2 %"; seen[VerdictFixed] != want {
		t.Errorf("fixed: %q, want %q", seen[VerdictFixed], want)
	}
}

func TestJudgeAdjustsOverTheFamily(t *testing.T) {
	t.Parallel()
	base := Arm{Name: "baseline", Count: Count{16, 100}}
	alone := judgeOne(t, base, Arm{Name: "a", Count: Count{6, 100}}, Claims{})
	family, err := Judge(base, []Arm{
		{Name: "a", Count: Count{6, 100}}, {Name: "b", Count: Count{15, 100}}, {Name: "c", Count: Count{17, 100}},
	}, Claims{})
	if err != nil {
		t.Fatal(err)
	}
	if alone.Verdict != VerdictBetter || family[0].Verdict != VerdictInconclusive {
		t.Errorf("alone %s, in a family of three %s; want better and inconclusive", alone.Verdict, family[0].Verdict)
	}
	if family[0].P != alone.P || family[0].AdjustedP != 3*alone.P || family[0].Family != 3 {
		t.Errorf("p %v, adjusted %v, family %d", family[0].P, family[0].AdjustedP, family[0].Family)
	}
}

func TestJudgeShowsExclusionsThatCouldChangeTheVerdict(t *testing.T) {
	t.Parallel()
	base := Arm{Name: "baseline", Count: Count{16, 100}}
	robust := judgeOne(t, base, Arm{Name: "v", Count: Count{0, 100}, Excluded: 2}, Claims{})
	if robust.BestCase != "" || robust.WorstCase != "" {
		t.Errorf("two exclusions cannot change 16 against 0: %+v", robust)
	}
	fragile := judgeOne(t, base, Arm{Name: "v", Count: Count{0, 100}, Excluded: 30}, Claims{})
	if fragile.Verdict != VerdictBetter || fragile.BestCase != VerdictBetter || fragile.WorstCase != VerdictInconclusive {
		t.Errorf("thirty can: got %s, best %q, worst %q", fragile.Verdict, fragile.BestCase, fragile.WorstCase)
	}
	// Excluded trials of the baseline count the other way round.
	base.Excluded = 60
	flipped := judgeOne(t, base, Arm{Name: "v", Count: Count{7, 100}}, Claims{})
	if flipped.WorstCase != VerdictInconclusive || flipped.BestCase != VerdictBetter {
		t.Errorf("baseline exclusions: got %s, best %q, worst %q", flipped.Verdict, flipped.BestCase, flipped.WorstCase)
	}
	if _, err := Judge(base, []Arm{{Count: Count{1, 2}, Excluded: -1}}, Claims{}); err == nil {
		t.Error("a negative number of exclusions was accepted")
	}
}

func TestJudgeShrinksClusteredArms(t *testing.T) {
	t.Parallel()
	base, variant := Arm{Count: Count{160, 1000}}, Arm{Count: Count{120, 1000}}
	if got := judgeOne(t, base, variant, Claims{}); got.Verdict != VerdictBetter {
		t.Fatalf("independent rounds: %s", got.Verdict)
	}
	base.Deff, variant.Deff = 10, 10
	if got := judgeOne(t, base, variant, Claims{}); got.Verdict != VerdictInconclusive {
		t.Errorf("with a design effect of 10: %s, want inconclusive as for 16 and 12 of 100", got.Verdict)
	}
	// The interval that belongs to the clusters decides on fixed.
	narrow, wide := Interval{High: 0.019, Level: 0.95, Method: MethodKornGraubard}, Interval{High: 0.021, Level: 0.95, Method: MethodKornGraubard}
	never := Arm{Count: Count{0, 1000}, Interval: &narrow}
	if got := judgeOne(t, Arm{Count: Count{160, 1000}}, never, Claims{Tolerate: 0.02}); got.Verdict != VerdictFixed || got.Rate != narrow {
		t.Errorf("upper bound 1.9 %%: %s with %+v", got.Verdict, got.Rate)
	}
	never.Interval = &wide
	if got := judgeOne(t, Arm{Count: Count{160, 1000}}, never, Claims{Tolerate: 0.02}); got.Verdict != VerdictBetter {
		t.Errorf("upper bound 2.1 %%: %s", got.Verdict)
	}
}

func TestFurtherTrials(t *testing.T) {
	t.Parallel()
	f := func(base, variant Count, claims Claims) Further {
		got := judgeOne(t, Arm{Count: base}, Arm{Count: variant}, claims)
		if got.Further == nil {
			t.Fatalf("%v against %v is %s", variant, base, got.Verdict)
		}
		return *got.Further
	}
	better := f(Count{4, 25}, Count{0, 25}, Claims{})
	if better.Toward != VerdictBetter || better.Total != 25+better.PerArm || better.Total < 40 || better.Total > 48 {
		t.Errorf("16 %% against 0 %%: %+v, want about 44 in all", better)
	}
	if worse := f(Count{0, 25}, Count{4, 25}, Claims{}); worse.Toward != VerdictWorse || worse.PerArm != better.PerArm {
		t.Errorf("0 %% against 16 %%: %+v", worse)
	}
	if equal := f(Count{5, 25}, Count{5, 25}, Claims{}); equal.PerArm != 0 || equal.Toward != "" {
		t.Errorf("equal rates, no margin: %+v, want none", equal)
	}
	// The promised number of trials must really bring the promised verdict where that is
	// certain: no failures in either arm.
	zero := f(Count{0, 25}, Count{0, 25}, Claims{Margin: 0.02})
	if got := judgeOne(t, Arm{Count: Count{0, zero.Total}}, Arm{Count: Count{0, zero.Total}}, Claims{Margin: 0.02}); got.Verdict != VerdictEquivalent {
		t.Errorf("%+v leads to %s", zero, got.Verdict)
	}
	if got := judgeOne(t, Arm{Count: Count{0, zero.Total - 2}}, Arm{Count: Count{0, zero.Total - 2}}, Claims{Margin: 0.02}); got.Verdict != VerdictInconclusive {
		t.Errorf("two trials fewer than %+v lead to %s", zero, got.Verdict)
	}
}

func TestJudgeRefusesBadInput(t *testing.T) {
	t.Parallel()
	good := Arm{Name: "baseline", Count: Count{1, 10}}
	if _, err := Judge(good, []Arm{{Name: "empty"}}, Claims{}); !errors.Is(err, ErrCount) || !strings.Contains(err.Error(), `"empty"`) {
		t.Errorf("a variant without trials: %v", err)
	}
	for _, claims := range []Claims{{Confidence: 95}, {Tolerate: 2}, {Margin: math.NaN()}, {Power: 1}, {Test: "chi-square"}, {Interval: "wald"}} {
		if _, err := Judge(good, []Arm{good}, claims); err == nil {
			t.Errorf("%+v accepted", claims)
		}
	}
	if out, err := Judge(good, nil, Claims{}); err != nil || len(out) != 0 {
		t.Errorf("no variants: %v, %v", out, err)
	}
}

func TestComparisonIsPlainJSON(t *testing.T) {
	t.Parallel()
	c := judgeOne(t, Arm{Count: Count{0, 10}}, Arm{Name: "v", Count: Count{3, 10}}, Claims{})
	data, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var back Comparison
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if back.Further == nil || *back.Further != *c.Further {
		t.Errorf("further trials %+v, want %+v", back.Further, c.Further)
	}
	back.Further = c.Further
	if back != c {
		t.Errorf("decoded %+v, want %+v", back, c)
	}
}
