package stats

import (
	"errors"
	"math"
	"testing"
)

// coverageGrid is the rates at which coverage is enumerated.
func coverageGrid() []float64 {
	var rates []float64
	for i := 1; i < 200; i++ {
		rates = append(rates, float64(i)/200)
	}
	return rates
}

// For every n up to 100: Clopper–Pearson never covers less than the level. From 20 trials
// on the other two cover the level on average, and where at least one failure and one
// pass are expected they fall short by no more than the known dips (Brown, Cai and
// DasGupta 2001, figures 5 and 6).
func TestCoverageByEnumeration(t *testing.T) {
	t.Parallel()
	for _, level := range []float64{0.9, 0.95, 0.99} {
		for n := int64(1); n <= 100; n++ {
			exact := lowestCoverage(t, MethodClopperPearson, n, level, 0)
			if exact.least < level-1e-12 {
				t.Errorf("clopper-pearson n %d: covers %v of %v", n, exact.least, level)
			}
			for method, dip := range map[Method]float64{MethodWilson: 0.75 * (1 - level), MethodJeffreys: 1.9 * (1 - level)} {
				c := lowestCoverage(t, method, n, level, 1)
				if level == 0.99 {
					dip = 0.025
				}
				if n >= 20 && (c.least < level-dip || math.Abs(c.mean-level) > 0.008) {
					t.Errorf("%s n %d: covers %v on average and %v at least, of %v", method, n, c.mean, c.least, level)
				}
			}
		}
	}
}

type coverageSummary struct{ least, mean float64 }

// lowestCoverage looks only where that many failures and passes are expected; the mean is
// over all rates.
func lowestCoverage(t *testing.T, method Method, n int64, level, expected float64) coverageSummary {
	t.Helper()
	rates := coverageGrid()
	coverage, err := Coverage(method, n, level, rates)
	if err != nil {
		t.Fatal(err)
	}
	s := coverageSummary{least: 1}
	for i, c := range coverage {
		if c > 1+1e-12 {
			t.Fatalf("%s n %d: coverage %v", method, n, c)
		}
		s.mean += c / float64(len(coverage))
		if float64(n)*min(rates[i], 1-rates[i]) >= expected {
			s.least = min(s.least, c)
		}
	}
	return s
}

// Two trials can be enumerated by hand: at rate ½ the counts 0, 1, 2 have ¼, ½, ¼, and
// Wilson's 95 % interval of 0 of 2 ends at 3.84/5.84 = 0.658.
func TestCoverageByHand(t *testing.T) {
	t.Parallel()
	got, err := Coverage(MethodWilson, 2, 0.95, []float64{0.5, 0.7})
	if err != nil || !near(got[0], 1, 1e-12) || !near(got[1], 0.91, 1e-12) {
		t.Errorf("%v, %v; want 1 and 0.42+0.49", got, err)
	}
	if _, err := Coverage(MethodWilson, 2, 0.95, []float64{1}); !errors.Is(err, ErrLevel) {
		t.Errorf("rate 1: %v", err)
	}
	for _, n := range []int64{0, -5} {
		if _, err := Coverage(MethodWilson, n, 0.95, nil); !errors.Is(err, ErrCount) {
			t.Errorf("%d trials: %v", n, err)
		}
	}
}
