package stats

import (
	"errors"
	"math"
	"testing"
)

type armsCase struct {
	Arms      [4]int64 // base failures, base trials, variant failures, variant trials
	Level     float64
	Low, High float64
	P         float64
}

func (c armsCase) base() Count    { return Count{c.Arms[0], c.Arms[1]} }
func (c armsCase) variant() Count { return Count{c.Arms[2], c.Arms[3]} }

func TestNewcombeMatchesStatsmodels(t *testing.T) {
	t.Parallel()
	for _, c := range readReference[armsCase](t, "newcombe.json") {
		got, err := Newcombe(c.base(), c.variant(), c.Level)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.Low-c.Low) > 1e-14 || math.Abs(got.High-c.High) > 1e-14 {
			t.Errorf("%v at %v: %+v, want %v to %v", c.Arms, c.Level, got, c.Low, c.High)
		}
	}
}

func TestKoopmanMatchesStatsmodels(t *testing.T) {
	t.Parallel()
	for _, c := range readReference[armsCase](t, "koopman.json") {
		got, err := Koopman(c.base(), c.variant(), c.Level)
		if err != nil {
			t.Fatal(err)
		}
		// statsmodels stops its root search at 1e-5 relative.
		if !near(got.Low, c.Low, 2e-5) || !near(got.High, c.High, 2e-5) {
			t.Errorf("%v at %v: %+v, want %v to %v", c.Arms, c.Level, got, c.Low, c.High)
		}
	}
}

// At a limit, the chi-square of the counts against the restricted estimate must be z²;
// this checks more digits than the reference has.
func TestKoopmanLimitsSolveTheScoreEquation(t *testing.T) {
	t.Parallel()
	for _, c := range readReference[armsCase](t, "koopman.json") {
		iv, err := Koopman(c.base(), c.variant(), c.Level)
		if err != nil {
			t.Fatal(err)
		}
		z := twoSidedZ(c.Level)
		for _, ratio := range []float64{iv.Low, iv.High} {
			if ratio == 0 || math.IsInf(ratio, 1) {
				continue
			}
			if got := restrictedChiSquare(c, ratio); !near(got, z*z, 1e-7) {
				t.Errorf("%v at %v: chi-square %v at ratio %v, want %v", c.Arms, c.Level, got, ratio, z*z)
			}
		}
	}
}

// restrictedChiSquare maximises the likelihood under variant = ratio·base by golden
// section and returns Pearson's statistic there.
func restrictedChiSquare(c armsCase, ratio float64) float64 {
	y, m, x, n := float64(c.Arms[0]), float64(c.Arms[1]), float64(c.Arms[2]), float64(c.Arms[3])
	score := func(q float64) float64 {
		p := ratio * q
		return (x-n*p)/(p*(1-p))*ratio + (y-m*q)/(q*(1-q))
	}
	low, high := 0.0, min(1, 1/ratio)
	for range 300 {
		if mid := (low + high) / 2; score(mid) > 0 {
			low = mid
		} else {
			high = mid
		}
	}
	q := (low + high) / 2
	p := ratio * q
	return (x-n*p)*(x-n*p)/(n*p*(1-p)) + (y-m*q)*(y-m*q)/(m*q*(1-q))
}

func TestKoopmanUnboundedEnds(t *testing.T) {
	t.Parallel()
	iv, err := Koopman(Count{0, 50}, Count{3, 50}, 0.95)
	if err != nil || !math.IsInf(iv.High, 1) || iv.Low <= 0 {
		t.Errorf("baseline without failures: %+v, %v", iv, err)
	}
	iv, err = Koopman(Count{3, 50}, Count{0, 50}, 0.95)
	if err != nil || iv.Low != 0 || iv.High <= 0 || math.IsInf(iv.High, 1) {
		t.Errorf("variant without failures: %+v, %v", iv, err)
	}
	iv, err = Koopman(Count{0, 5}, Count{0, 5}, 0.95)
	if err != nil || iv.Low != 0 || !math.IsInf(iv.High, 1) {
		t.Errorf("no failures at all: %+v, %v", iv, err)
	}
}

func TestFisherMatchesSciPy(t *testing.T) {
	t.Parallel()
	for _, c := range readReference[armsCase](t, "fisher.json") {
		got, err := Fisher(c.base(), c.variant())
		if err != nil {
			t.Fatal(err)
		}
		if !near(got, c.P, 1e-9) {
			t.Errorf("%v: %v, want %v", c.Arms, got, c.P)
		}
	}
}

// Summed by mpmath 1.3 with 50 digits; SciPy's answer differs from the ninth digit on.
func TestFisherKeepsItsDigitsInLargeArms(t *testing.T) {
	t.Parallel()
	got, err := Fisher(Count{1000, 100_000_000}, Count{1200, 100_000_000})
	if err != nil || !near(got, 2.1814757173375435e-05, 1e-12) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestBoschlooMatchesSciPy(t *testing.T) {
	t.Parallel()
	for _, c := range readReference[armsCase](t, "boschloo.json") {
		got, err := Boschloo(c.base(), c.variant())
		if err != nil {
			t.Fatal(err)
		}
		if !near(got, c.P, 1e-9) {
			t.Errorf("%v: %v, want %v", c.Arms, got, c.P)
		}
	}
}

// For small arms the definition can be written out: every outcome, every common rate on a
// fine grid. The p-value is at least each of those and hardly above the largest.
func TestBoschlooAgainstItsDefinition(t *testing.T) {
	t.Parallel()
	for n1 := 2; n1 <= 10; n1 += 4 {
		for n2 := 3; n2 <= 9; n2 += 6 {
			for k1 := 0; k1 <= n1; k1++ {
				for k2 := 0; k2 <= n2; k2++ {
					got, err := Boschloo(Count{int64(k1), int64(n1)}, Count{int64(k2), int64(n2)})
					if err != nil {
						t.Fatal(err)
					}
					want := boschlooByDefinition(n1, k1, n2, k2)
					if got < want*(1-1e-9) || got > want*(1+2e-3) {
						t.Fatalf("%d of %d, %d of %d: %v, want %v", k1, n1, k2, n2, got, want)
					}
				}
			}
		}
	}
}

func boschlooByDefinition(n1, k1, n2, k2 int) float64 {
	side := func(flip bool) float64 {
		statistic := func(x1, x2 int) float64 {
			h := hypergeometric{float64(n1), float64(n2), float64(x1 + x2)}
			if flip {
				return h.atLeast(float64(x1))
			}
			return h.atMost(float64(x1))
		}
		limit := statistic(k1, k2) * (1 + 1e-10)
		var set [][2]int
		for x1 := 0; x1 <= n1; x1++ {
			for x2 := 0; x2 <= n2; x2++ {
				if statistic(x1, x2) <= limit {
					set = append(set, [2]int{x1, x2})
				}
			}
		}
		best := 0.0
		for i := 0; i <= 200; i++ {
			p1, p2, sum := binomialRow(n1, float64(i)/200), binomialRow(n2, float64(i)/200), 0.0
			for _, x := range set {
				sum += p1[x[0]] * p2[x[1]]
			}
			best = max(best, sum)
		}
		return best
	}
	return min(1, 2*min(side(false), side(true)))
}

func binomialRow(n int, rate float64) []float64 {
	row := make([]float64, n+1)
	for k := range row {
		row[k] = binomialProb(float64(k), float64(n), rate, 1-rate)
	}
	return row
}

// Swapping the arms, or failures with passes, must not change a two-sided p-value.
func TestExactTestsAreSymmetric(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(a, b Count) (float64, error){"fisher": Fisher, "boschloo": Boschloo} {
		for _, c := range readReference[armsCase](t, "boschloo.json") {
			a, b := c.base(), c.variant()
			p, _ := test(a, b)
			swapped, _ := test(b, a)
			mirrored, _ := test(Count{a.N - a.K, a.N}, Count{b.N - b.K, b.N})
			if !near(swapped, p, 1e-10) || !near(mirrored, p, 1e-10) {
				t.Errorf("%s %v: %v, swapped %v, mirrored %v", name, c.Arms, p, swapped, mirrored)
			}
		}
	}
}

func TestArmsRefuseBadInput(t *testing.T) {
	t.Parallel()
	good := Count{1, 10}
	for _, bad := range []Count{{}, {11, 10}, {-1, 10}, {1, -1}} {
		for _, pair := range [][2]Count{{good, bad}, {bad, good}} {
			_, newcombe := Newcombe(pair[0], pair[1], 0.95)
			_, koopman := Koopman(pair[0], pair[1], 0.95)
			_, fisher := Fisher(pair[0], pair[1])
			_, boschloo := Boschloo(pair[0], pair[1])
			for i, err := range []error{newcombe, koopman, fisher, boschloo} {
				if !errors.Is(err, ErrCount) {
					t.Errorf("test %d accepted %v: %v", i, pair, err)
				}
			}
		}
	}
	for _, level := range []float64{0, 1, math.NaN()} {
		_, newcombe := Newcombe(good, good, level)
		_, koopman := Koopman(good, good, level)
		if !errors.Is(newcombe, ErrLevel) || !errors.Is(koopman, ErrLevel) {
			t.Errorf("level %v accepted: %v, %v", level, newcombe, koopman)
		}
	}
	if _, err := Boschloo(Count{1, 3_000_000}, Count{1, 3_000_000}); err == nil {
		t.Error("boschloo accepted arms too large for it")
	}
}

func TestHolmMatchesStatsmodels(t *testing.T) {
	t.Parallel()
	type holmCase struct{ P, Adjusted []float64 }
	for _, c := range readReference[holmCase](t, "holm.json") {
		got, err := Holm(c.P)
		if err != nil || len(got) != len(c.Adjusted) {
			t.Fatalf("%v: %v, %v", c.P, got, err)
		}
		for i := range got {
			if !near(got[i], c.Adjusted[i], 1e-13) {
				t.Errorf("%v: %v, want %v", c.P, got, c.Adjusted)
			}
		}
	}
	for _, bad := range []float64{math.NaN(), -0.1, 1.1, math.Inf(1)} {
		if got, err := Holm([]float64{0.5, bad}); err == nil {
			t.Errorf("%v accepted: %v", bad, got)
		}
	}
	if got, err := Holm(nil); err != nil || len(got) != 0 {
		t.Errorf("empty family: %v, %v", got, err)
	}
}
