package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// An e-variable has expectation at most one under every pair of rates of its null; here
// summed over all outcomes of a batch.
func TestGrowthIsAnEVariable(t *testing.T) {
	t.Parallel()
	for _, arms := range [][2]int{{1, 1}, {3, 3}, {2, 5}} {
		for _, expected := range [][2]float64{{0.3, 0.1}, {0.02, 0.6}, {0.5, 0.5}} {
			for _, delta := range []float64{0, 0.2, -0.4, 0.85} {
				for i := 1; i < 20; i++ {
					base := float64(i) / 20
					variant := base + delta
					if variant <= 0 || variant >= 1 {
						continue
					}
					sum := 0.0
					for x1, p1 := range binomialRow(arms[0], base) {
						for x2, p2 := range binomialRow(arms[1], variant) {
							b := batch{
								base: Count{int64(x1), int64(arms[0])}, variant: Count{int64(x2), int64(arms[1])},
								expBase: expected[0], expVar: expected[1],
							}
							sum += p1 * p2 * math.Exp(b.growthAgainst(delta))
						}
					}
					if sum > 1+1e-9 {
						t.Errorf("arms %v, expected %v, null %v at base %v: expectation %v", arms, expected, delta, base, sum)
					}
				}
			}
		}
	}
}

// By hand: one block in which the baseline fails and the variant passes multiplies the
// e-value for 20 % : 2 % by 0.2·0.98/(0.11·0.89), and the swapped one by
// 0.02·0.8/(0.11·0.89); the evidence is their mean.
func TestAnytimeEvidenceByHand(t *testing.T) {
	t.Parallel()
	a, err := NewAnytime(SequentialRequest{Tell: &Tell{0.2, 0.02}})
	if err != nil {
		t.Fatal(err)
	}
	both := func(n float64) float64 {
		return (math.Pow(0.2*0.98/(0.11*0.89), n) + math.Pow(0.02*0.8/(0.11*0.89), n)) / 2
	}
	for n := int64(1); n <= 4; n++ {
		l, err := a.Look(Count{n, n}, Count{0, n})
		if err != nil || !near(l.P, min(1, 1/both(float64(n))), 1e-12) {
			t.Errorf("%d blocks: p %v, %v; want %v", n, l.P, err, 1/both(float64(n)))
		}
	}
}

// simulateAnytime returns the share of campaigns that end with a difference and the mean
// trials per arm, with a look after every block.
func simulateAnytime(t *testing.T, r SequentialRequest, base, variant float64, campaigns int, seed uint64) (shown, mean float64) {
	t.Helper()
	r.DecisionsOnly = true
	a, err := NewAnytime(r)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(40, seed))
	for range campaigns {
		design := a.Restart()
		var b, v Count
		for {
			b, v = b.Add(draw(rng, base, 1)), v.Add(draw(rng, variant, 1))
			l, err := design.Look(b, v)
			if err != nil {
				t.Fatal(err)
			}
			if l.Decision != DecisionContinue {
				if l.Verdict != VerdictInconclusive {
					shown += 1 / float64(campaigns)
				}
				mean += float64(b.N) / float64(campaigns)
				break
			}
		}
	}
	return shown, mean
}

func TestAnytimeKeepsItsErrorRate(t *testing.T) {
	t.Parallel()
	for i, tell := range []*Tell{nil, {0.2, 0.02}} {
		for j, p := range []float64{0.02, 0.16, 0.5} {
			shown, _ := simulateAnytime(t, SequentialRequest{Tell: tell, MaxPerArm: 100, Futility: -1}, p, p, 400, uint64(10*i+j))
			if shown > 0.05+3*math.Sqrt(0.05*0.95/400) {
				t.Errorf("tell %v, both rates %v: false verdicts in %v of campaigns", tell, p, shown)
			}
		}
	}
}

func TestAnytimeIsCheaperThanFixedFisher(t *testing.T) {
	t.Parallel()
	for i, c := range []struct {
		tell  Tell
		most  int
		fixed float64
	}{{Tell{0.16, 0}, 50, 48}, {Tell{0.2, 0.02}, 63, 52}} {
		shown, mean := simulateAnytime(t, SequentialRequest{Tell: &c.tell, MaxPerArm: c.most}, c.tell.Base, c.tell.Variant, 1500, uint64(50+i))
		t.Logf("%v: power %.3f, mean %.1f of %v", c.tell, shown, mean, c.fixed)
		if shown < 0.80-0.03 || mean > 0.78*c.fixed {
			t.Errorf("%v: power %v, mean %v", c.tell, shown, mean)
		}
	}
}

func TestAnytimeIntervalsHoldAtEveryLook(t *testing.T) {
	t.Parallel()
	const campaigns = 30
	for i, rates := range [][2]float64{{0.2, 0.02}, {0.16, 0.16}, {0.5, 0.2}} {
		rng := rand.New(rand.NewPCG(60, uint64(i)))
		missed := map[string]int{}
		for range campaigns {
			a, err := NewAnytime(SequentialRequest{MaxPerArm: 60})
			if err != nil {
				t.Fatal(err)
			}
			in := map[string]bool{}
			for l := (Look{Decision: DecisionContinue}); l.Decision == DecisionContinue; {
				b, v := l.Base.Add(draw(rng, rates[0], 6)), l.Variant.Add(draw(rng, rates[1], 6))
				if l, err = a.Look(b, v); err != nil {
					t.Fatal(err)
				}
				in["difference"] = in["difference"] || !l.Difference.Contains(rates[1]-rates[0])
				in["rate"] = in["rate"] || !l.Rate.Contains(rates[1]) || !l.BaseRate.Contains(rates[0])
				in["ratio"] = in["ratio"] || !l.Ratio.Contains(rates[1]/rates[0])
				if l.Difference.Width() >= 2 || l.Difference.Method != MethodAnytime {
					t.Fatalf("difference %+v", l.Difference)
				}
			}
			for name, miss := range in {
				if miss {
					missed[name]++
				}
			}
		}
		for name, n := range missed {
			if float64(n) > campaigns*(0.05+3*math.Sqrt(0.05*0.95/campaigns)) {
				t.Errorf("%v: the intervals of the %s miss in %d of %d campaigns", rates, name, n, campaigns)
			}
		}
	}
}

func TestAnytimeTakesUnequalArmsAndRefusesMisuse(t *testing.T) {
	t.Parallel()
	a, err := NewAnytime(SequentialRequest{MaxPerArm: 40, Family: 2})
	if err != nil {
		t.Fatal(err)
	}
	l, err := a.Look(Count{2, 10}, Count{0, 8})
	if err != nil || l.Number != 1 || l.Family != 2 || l.Decision != DecisionContinue {
		t.Fatalf("%+v, %v", l, err)
	}
	for _, c := range [][2]Count{{{1, 12}, {0, 9}}, {{2, 10}, {0, 8}}, {{2, 9}, {0, 8}}, {{14, 12}, {0, 9}}} {
		if _, err := a.Look(c[0], c[1]); err == nil {
			t.Errorf("%v accepted after %v and %v", c, l.Base, l.Variant)
		}
	}
	if l, err = a.Look(Count{3, 41}, Count{3, 40}); err != nil || l.Decision != DecisionComplete || l.Further == nil {
		t.Errorf("%+v, %v; want complete", l, err)
	}
	if _, err := a.Look(Count{3, 50}, Count{3, 50}); err == nil {
		t.Error("a look after the end was accepted")
	}
	if _, err := NewAnytime(SequentialRequest{Tell: &Tell{2, 0}}); err == nil {
		t.Error("a rate of 2 was accepted")
	}
}

// Equivalent can be shown early too, because the interval is valid at any time.
func TestAnytimeShowsEquivalence(t *testing.T) {
	t.Parallel()
	a, err := NewAnytime(SequentialRequest{Claims: Claims{Margin: 0.2}})
	if err != nil {
		t.Fatal(err)
	}
	for n := int64(20); n <= 400; n += 20 {
		l, err := a.Look(Count{0, n}, Count{0, n})
		if err != nil {
			t.Fatal(err)
		}
		if l.Decision == DecisionVerdict {
			if l.Verdict != VerdictEquivalent {
				t.Errorf("%+v", l)
			}
			return
		}
	}
	t.Error("no failure in 400 trials of either arm does not show a difference below 20 %")
}

// The chance that any interval up to 250 trials misses, by following every count.
func TestConfidenceSequenceCoversAtAllTimes(t *testing.T) {
	t.Parallel()
	const most, level = 250, 0.95
	low, high := make([][]float64, most+1), make([][]float64, most+1)
	for n := 1; n <= most; n++ {
		low[n], high[n] = make([]float64, n+1), make([]float64, n+1)
		for k := 0; k <= n; k++ {
			iv, err := ConfidenceSequence(Count{int64(k), int64(n)}, level)
			if err != nil {
				t.Fatal(err)
			}
			if rate := float64(k) / float64(n); !iv.Contains(rate) {
				t.Fatalf("%d of %d: %+v", k, n, iv)
			}
			low[n][k], high[n][k] = iv.Low, iv.High
		}
	}
	for _, p := range evenRates(40) {
		mass, missed := []float64{1}, 0.0
		for n := 1; n <= most; n++ {
			next := make([]float64, n+1)
			for k, m := range mass {
				next[k] += m * (1 - p)
				next[k+1] += m * p
			}
			for k := range next {
				if p < low[n][k] || p > high[n][k] {
					missed += next[k]
					next[k] = 0
				}
			}
			mass = next
		}
		if missed > 1-level {
			t.Errorf("rate %v: missed at some time with probability %v", p, missed)
		}
	}
}

func TestConfidenceSequenceEdges(t *testing.T) {
	t.Parallel()
	for _, c := range []Count{{0, 1}, {1, 1}, {0, 1000}, {1, 1_000_000_000}, {1000, 1_000_000_000}, {5, 10}} {
		iv, err := ConfidenceSequence(c, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		m := newMixture(c)
		limit := math.Log(20)
		if c.K > 0 && math.Abs(m.against(iv.Low)-limit) > 1e-4 || c.K == 0 && iv.Low != 0 {
			t.Errorf("%v: low %v", c, iv.Low)
		}
		if c.K < c.N && math.Abs(m.against(iv.High)-limit) > 1e-4 || c.K == c.N && iv.High != 1 {
			t.Errorf("%v: high %v", c, iv.High)
		}
	}
	if _, err := ConfidenceSequence(Count{}, 0.95); !errors.Is(err, ErrCount) {
		t.Errorf("no trials: %v", err)
	}
	if _, err := ConfidenceSequence(Count{1, 2}, 0); !errors.Is(err, ErrLevel) {
		t.Errorf("level 0: %v", err)
	}
}

func TestWidthRule(t *testing.T) {
	t.Parallel()
	rule := WidthRule{Width: 0.1}
	l, err := rule.Look(Count{5, 50})
	if err != nil || l.Decision != DecisionContinue || l.Further <= 0 {
		t.Fatalf("%+v, %v", l, err)
	}
	there := l.Count.N + l.Further
	k := int64(math.Round(0.1 * float64(there)))
	if done, err := rule.Look(Count{k, there}); err != nil || done.Decision != DecisionComplete || done.Further != 0 || done.Rate.Width() > 0.1 {
		t.Errorf("after the promised trials: %+v, %v", done, err)
	}
	if far, err := (WidthRule{Width: 1e-9}).Look(Count{5, 50}); err != nil || far.Further != maxTrials-50 {
		t.Errorf("a width that no campaign reaches: %+v, %v", far, err)
	}
	for _, bad := range []WidthRule{{}, {Width: 2}, {Width: math.NaN()}, {Width: 0.1, Confidence: 5}} {
		if _, err := bad.Look(Count{1, 10}); err == nil {
			t.Errorf("%+v accepted", bad)
		}
	}
	if _, err := rule.Look(Count{}); !errors.Is(err, ErrCount) {
		t.Errorf("no trials: %v", err)
	}
}
