package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

func TestKornGraubardMatchesSurvey(t *testing.T) {
	t.Parallel()
	type clusteredCase struct {
		K, N                   []int64
		Level, Deff, Low, High float64
	}
	for i, c := range readReference[clusteredCase](t, "korngraubard.json") {
		trials := make([]Count, len(c.K))
		for j := range trials {
			trials[j] = Count{c.K[j], c.N[j]}
		}
		got, err := KornGraubard(trials, c.Level)
		if err != nil {
			t.Fatal(err)
		}
		if !near(got.Interval.Low, c.Low, 1e-8) || !near(got.Interval.High, c.High, 1e-8) {
			t.Errorf("case %d: %+v, want %v to %v", i, got, c.Low, c.High)
		}
		if deff := DesignEffect(trials); !near(deff, c.Deff, 1e-10) {
			t.Errorf("case %d: design effect %v, want %v", i, deff, c.Deff)
		}
		if !near(got.Deff*got.EffectiveN, float64(got.Count.N), 1e-12) {
			t.Errorf("case %d: deff %v and effective n %v of %d", i, got.Deff, got.EffectiveN, got.Count.N)
		}
	}
}

// betaBinomial draws rounds of trials whose rates differ: mean rate, correlation rho
// between two rounds of one trial.
func betaBinomial(rng *rand.Rand, trials, rounds int, rate, rho float64) []Count {
	sum := (1 - rho) / rho
	beta := distuv.Beta{Alpha: rate * sum, Beta: (1 - rate) * sum, Src: rng}
	out := make([]Count, trials)
	for i := range out {
		out[i] = draw(rng, beta.Rand(), rounds)
	}
	return out
}

// The naive interval misses the true rate far too often when rounds of one trial are
// alike; Korn and Graubard's does not.
func TestNaiveIntervalUnderCoversClusteredRounds(t *testing.T) {
	t.Parallel()
	const campaigns, level = 1000, 0.95
	for _, c := range []struct {
		trials, rounds int
		rate, rho      float64
		naiveAtMost    float64
	}{
		{40, 20, 0.2, 0.3, 0.70},
		{40, 10, 0.1, 0.2, 0.80},
		{20, 50, 0.3, 0.1, 0.70},
		{100, 5, 0.05, 0.3, 0.90},
		{8, 10, 0.3, 0.2, 0.85},
	} {
		rng := rand.New(rand.NewPCG(3, uint64(c.trials*c.rounds)))
		naive, clustered := 0, 0
		for range campaigns {
			trials := betaBinomial(rng, c.trials, c.rounds, c.rate, c.rho)
			kg, err := KornGraubard(trials, level)
			if err != nil {
				t.Fatal(err)
			}
			w, err := Wilson(kg.Count, level)
			if err != nil {
				t.Fatal(err)
			}
			if w.Contains(c.rate) {
				naive++
			}
			if kg.Interval.Contains(c.rate) {
				clustered++
			}
		}
		n, k := float64(naive)/campaigns, float64(clustered)/campaigns
		t.Logf("%d trials of %d rounds, rate %v, correlation %v: naive %.3f, Korn-Graubard %.3f", c.trials, c.rounds, c.rate, c.rho, n, k)
		if n > c.naiveAtMost {
			t.Errorf("%+v: the naive interval covers %v; the simulation does not show the problem", c, n)
		}
		if k < 0.93 {
			t.Errorf("%+v: covers %v, want at least 0.93", c, k)
		}
	}
}

func TestKornGraubardFallsBack(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		trials    []Count
		effective float64
		code      WarningCode
	}{
		{"no failure in 20 trials of 50", repeat(Count{0, 50}, 20), 20, WarnClustersUnknown},
		{"nothing but failures", repeat(Count{50, 50}, 20), 20, WarnClustersUnknown},
		{"one trial", []Count{{3, 50}}, 1, WarnClustersUnknown},
		{"three trials", []Count{{3, 50}, {4, 50}, {3, 50}}, 3, WarnFewClusters},
	} {
		got, err := KornGraubard(c.trials, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		if got.EffectiveN != c.effective || len(got.Warnings) != 1 || got.Warnings[0].Code != c.code {
			t.Errorf("%s: %+v, want effective n %v and %s", c.name, got, c.effective, c.code)
		}
	}
	ten, err := KornGraubard(append(repeat(Count{3, 50}, 5), repeat(Count{9, 50}, 5)...), 0.95)
	if err != nil || len(ten.Warnings) != 1 || ten.Warnings[0].Code != WarnFewClusters || ten.EffectiveN <= 10 {
		t.Errorf("ten trials: %+v, %v; want the measured likeness and a warning", ten, err)
	}
	many, err := KornGraubard(append(repeat(Count{3, 50}, 20), repeat(Count{9, 50}, 20)...), 0.95)
	if err != nil || len(many.Warnings) != 0 {
		t.Errorf("forty trials: %+v, %v; want no warning", many, err)
	}
}

// One round per trial is not clustered: the interval is that of Clopper and Pearson.
func TestKornGraubardOfSingleRounds(t *testing.T) {
	t.Parallel()
	trials := append(repeat(Count{0, 1}, 84), repeat(Count{1, 1}, 16)...)
	got, err := KornGraubard(trials, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := ClopperPearson(Count{16, 100}, 0.95)
	if got.Interval.Low != want.Low || got.Interval.High != want.High || got.Deff != 1 || len(got.Warnings) != 0 {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Rounds that repel each other must not make the interval narrower than independence.
func TestKornGraubardNeverBelowIndependence(t *testing.T) {
	t.Parallel()
	for _, trials := range [][]Count{
		repeat(Count{5, 10}, 30),
		append(repeat(Count{4, 10}, 15), repeat(Count{6, 10}, 15)...),
	} {
		got, err := KornGraubard(trials, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := ClopperPearson(Count{150, 300}, 0.95)
		if got.Interval.Low > want.Low || got.Interval.High < want.High || got.Deff < 1 {
			t.Errorf("%+v is narrower than %+v", got, want)
		}
	}
}

func repeat(c Count, times int) []Count {
	out := make([]Count, times)
	for i := range out {
		out[i] = c
	}
	return out
}

func TestKornGraubardRefusesBadInput(t *testing.T) {
	t.Parallel()
	for _, trials := range [][]Count{nil, {{2, 1}}, {{1, 5}, {0, 0}}} {
		if got, err := KornGraubard(trials, 0.95); !errors.Is(err, ErrCount) {
			t.Errorf("%v: %+v, %v", trials, got, err)
		}
	}
	if _, err := KornGraubard([]Count{{1, 5}}, math.NaN()); !errors.Is(err, ErrLevel) {
		t.Errorf("level NaN: %v", err)
	}
	if got := DesignEffect(nil); !math.IsNaN(got) {
		t.Errorf("design effect of nothing: %v", got)
	}
}
