package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestRunsMatchEnumeration(t *testing.T) {
	t.Parallel()
	type runsCase struct {
		Fails, Passes, Runs int
		P                   float64
	}
	for _, c := range readReference[runsCase](t, "runs.json") {
		if got := runsP(c.Runs, c.Fails, c.Passes); !near(got, c.P, 1e-11) {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestHomogeneousMatchesEnumeration(t *testing.T) {
	t.Parallel()
	type partsCase struct {
		Sizes, Fails []int64
		P            float64
	}
	for _, c := range readReference[partsCase](t, "homogeneous.json") {
		var parts []Part
		for i := range c.Sizes {
			parts = append(parts, Part{Count: Count{c.Fails[i], c.Sizes[i]}})
		}
		if got := homogeneousP(parts); !near(got, c.P, 1e-9) {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// outcomes simulates a sequence of trials at one rate.
func outcomes(rng *rand.Rand, n int, rate float64) []bool {
	failed := make([]bool, n)
	for i := range failed {
		failed[i] = rng.Float64() < rate
	}
	return failed
}

// checks simulates one campaign in which nothing is wrong, or the named thing is, and
// says whether the check fires at 5 %.
func checks(rng *rand.Rand, rate float64, wrong bool) map[WarningCode]bool {
	drift := func(i, n int) float64 {
		if wrong {
			return rate * 2 * float64(i) / float64(n)
		}
		return rate
	}
	factor := func(x float64) float64 {
		if wrong {
			return x
		}
		return 1
	}
	fired := map[WarningCode]bool{}
	const n, alpha = 200, 0.05

	streaks := outcomes(rng, n, rate)
	for i := 1; i < n && wrong; i++ {
		if rng.Float64() < 0.6 {
			streaks[i] = streaks[i-1]
		}
	}
	_, fired[WarnRuns] = Runs("a", streaks, alpha)

	trend := make([]bool, n)
	for i := range trend {
		trend[i] = rng.Float64() < drift(i, n)
	}
	_, fired[WarnTrend] = Trend("a", trend, alpha)

	ordered := make([]Ordered, n)
	for i := range ordered {
		p := rate / float64(1+i%2) // two cells with different rates
		if wrong && i > 0 && ordered[i-1].Failed {
			p = 0.8
		}
		ordered[i] = Ordered{Cell: fmt.Sprint(i % 2), Failed: rng.Float64() < p}
	}
	_, fired[WarnLag] = Lag(ordered, alpha)

	parts := []Part{
		{"m1", draw(rng, rate, 40)}, {"m2", draw(rng, rate, 60)},
		{"m3", draw(rng, min(1, rate*factor(4)), 50)},
	}
	_, fired[WarnShards] = Shards("a", parts, alpha)

	_, fired[WarnUnequalExclusion] = UnequalExclusion(
		Exclusion{"baseline", draw(rng, rate/2, 150)}, Exclusion{"v", draw(rng, rate/2*factor(4), 150)}, alpha)

	var passed, failed []float64
	for _, f := range outcomes(rng, 100, rate) {
		if d := rng.ExpFloat64() * 40; f {
			failed = append(failed, d*factor(4))
		} else {
			passed = append(passed, d)
		}
	}
	_, fired[WarnDuration] = Duration("a", passed, failed, alpha)
	return fired
}

// When nothing is wrong, each check fires at most at its stated rate; when its thing is
// wrong, it fires in most campaigns.
func TestDoubtFiresAtItsRate(t *testing.T) {
	t.Parallel()
	for i, rate := range []float64{0.05, 0.2, 0.5} {
		rng := rand.New(rand.NewPCG(80, uint64(i)))
		const campaigns = 600
		fired := map[WarningCode]int{}
		for range campaigns {
			for code, yes := range checks(rng, rate, false) {
				fired[code] += int(indicator(yes))
			}
		}
		for code, n := range fired {
			share := float64(n) / campaigns
			if limit := 0.05 + 3*math.Sqrt(0.05*0.95/campaigns); share > limit {
				t.Errorf("%s at rate %v: fires in %v of campaigns without reason, stated 0.05", code, rate, share)
			}
			if rate == 0.2 && share < 0.015 {
				t.Errorf("%s at rate %v: fires in %v of campaigns; it wastes its 0.05", code, rate, share)
			}
		}
	}
}

func TestDoubtFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(81, 1))
	const campaigns = 150
	fired := map[WarningCode]int{}
	for range campaigns {
		for code, yes := range checks(rng, 0.2, true) {
			fired[code] += int(indicator(yes))
		}
	}
	for code, n := range fired {
		if share := float64(n) / campaigns; share < 0.7 {
			t.Errorf("%s: fires in %v of campaigns in which it should", code, share)
		}
	}
}

// A sentence names the cell, the numbers and what to do, and quotes what comes from
// outside.
func TestDoubtSentences(t *testing.T) {
	t.Parallel()
	streak := append(make([]bool, 40), true, true, true, true, true, true, true, true, true, true)
	hostile := "a\n\x1b[31mred"
	for _, c := range []struct {
		name string
		make func() (Warning, bool)
		want []string
	}{
		{"runs", func() (Warning, bool) { return Runs(hostile, streak, 0) }, []string{"10 failures of 50 trials come in streaks", "isolate"}},
		{"trend", func() (Warning, bool) { return Trend(hostile, streak, 0) }, []string{"10 of 10 failures lie in the second half"}},
		{"lag", func() (Warning, bool) {
			var o []Ordered
			for _, f := range streak {
				o = append(o, Ordered{hostile, f})
			}
			return Lag(o, 0)
		}, []string{"follows a failure fails in 100 % of cases", "clean up"}},
		{"shards", func() (Warning, bool) {
			return Shards("a", []Part{{hostile, Count{0, 50}}, {"m2", Count{20, 50}}}, 0)
		}, []string{`"m2" 20 of 50`, "stratum"}},
		{"exclusion", func() (Warning, bool) {
			return UnequalExclusion(Exclusion{"baseline", Count{0, 60}}, Exclusion{hostile, Count{20, 60}}, 0)
		}, []string{"lost 20 of 60 trials", "find out why"}},
		{"duration", func() (Warning, bool) {
			return Duration(hostile, []float64{1, 2, 3, 4, 5, 6, 7}, []float64{10, 11, 12, 13, 14, 15}, 0)
		}, []string{"take longer than passes (median 12.5 s against 4 s"}},
		{"short failures", func() (Warning, bool) {
			return Duration(hostile, []float64{10, 11, 12, 13, 14, 15}, []float64{1, 2, 3, 4, 5, 6, 7}, 0)
		}, []string{"take shorter than passes (median 4 s against 12.5 s"}},
		{"fact", func() (Warning, bool) {
			return FactVaries("a", hostile, []Part{{"5.15", Count{1, 40}}, {"6.1", Count{2, 60}}})
		}, []string{`"5.15" 1 of 40, "6.1" 2 of 60`, "pin it"}},
	} {
		w, fired := c.make()
		if !fired || w.Code == "" {
			t.Errorf("%s: %+v did not fire", c.name, w)
		}
		for _, want := range c.want {
			if !strings.Contains(w.Sentence(), want) {
				t.Errorf("%s: %q lacks %q", c.name, w.Sentence(), want)
			}
		}
		if strings.ContainsAny(w.Sentence(), "\n\x1b") {
			t.Errorf("%s: %q passes control characters on", c.name, w.Sentence())
		}
	}
}

// Nothing to test is no doubt, and never a NaN.
func TestDoubtOfTooLittle(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]func() (Warning, bool){
		"runs of nothing":         func() (Warning, bool) { return Runs("a", nil, 0) },
		"runs of passes":          func() (Warning, bool) { return Runs("a", make([]bool, 9), 0) },
		"trend of nothing":        func() (Warning, bool) { return Trend("a", nil, 0) },
		"lag of one":              func() (Warning, bool) { return Lag([]Ordered{{"a", true}}, 0) },
		"one shard":               func() (Warning, bool) { return Shards("a", []Part{{"m", Count{1, 2}}}, 0) },
		"empty shards":            func() (Warning, bool) { return Shards("a", []Part{{}, {}}, 0) },
		"shards without failures": func() (Warning, bool) { return Shards("a", []Part{{"m", Count{0, 9}}, {"n", Count{0, 9}}}, 0) },
		"no trials ended":         func() (Warning, bool) { return UnequalExclusion(Exclusion{}, Exclusion{}, 0) },
		"no failures":             func() (Warning, bool) { return Duration("a", []float64{1}, nil, 0) },
		"one value of a fact":     func() (Warning, bool) { return FactVaries("a", "kernel", []Part{{"6.1", Count{1, 2}}}) },
	} {
		if w, fired := f(); fired || w.P != 1 || w.Sentence() != "" {
			t.Errorf("%s: %+v, %v", name, w, fired)
		}
	}
}

// Many machines and failures: the chi-square distribution takes over, and the list in the
// sentence stays short.
func TestShardsOfManyMachines(t *testing.T) {
	t.Parallel()
	var parts []Part
	for i := range 40 {
		k := int64(10)
		if i%2 == 0 {
			k = 30
		}
		parts = append(parts, Part{fmt.Sprintf("machine-with-a-name-longer-than-forty-characters-%d", i), Count{k, 100}})
	}
	w, fired := Shards("a", parts, 0)
	if !fired || !strings.Contains(w.Sentence(), "34 more") || len(w.Sentence()) > 700 {
		t.Errorf("%v %q", fired, w.Sentence())
	}
}

func TestPooledExactMatchesR(t *testing.T) {
	t.Parallel()
	for i, c := range readReference[pooledCase](t, "pooledexact.json") {
		var tables []fourfold
		for _, s := range c.strata() {
			tables = append(tables, newFourfold(s))
		}
		if got := pooledExactP(tables); !near(got, c.P, 1e-9) {
			t.Errorf("case %d: %v, want %v", i, got, c.P)
		}
	}
}
