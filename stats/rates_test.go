package stats

import (
	"encoding/json"
	"errors"
	"math"
	"testing"
)

type rateCase struct {
	K, N             int64
	Level, Low, High float64
}

func TestRateIntervalsMatchReference(t *testing.T) {
	t.Parallel()
	for _, method := range []Method{MethodWilson, MethodClopperPearson, MethodJeffreys} {
		for _, c := range readReference[rateCase](t, string(method)+".json") {
			got, err := RateInterval(method, Count{c.K, c.N}, c.Level)
			if err != nil {
				t.Fatal(err)
			}
			// statsmodels takes Wilson's lower limit as a difference, which leaves 1e-16
			// of rounding against 0 and against rates of 1e-9.
			if !near(got.Low, c.Low, 1e-10) && math.Abs(got.Low-c.Low) > wilsonSlack(method) {
				t.Errorf("%s %d of %d at %v: low %v, want %v", method, c.K, c.N, c.Level, got.Low, c.Low)
			}
			if !near(got.High, c.High, 1e-10) {
				t.Errorf("%s %d of %d at %v: high %v, want %v", method, c.K, c.N, c.Level, got.High, c.High)
			}
			if got.Method != method || got.Level != c.Level {
				t.Errorf("%s: interval does not name its method and level: %+v", method, got)
			}
		}
	}
}

func wilsonSlack(m Method) float64 {
	if m == MethodWilson {
		return 2e-15
	}
	return 0
}

// With k of n and n-k of n the intervals must be mirror images.
func TestRateIntervalsAreSymmetric(t *testing.T) {
	t.Parallel()
	for _, method := range []Method{MethodWilson, MethodClopperPearson, MethodJeffreys} {
		for n := int64(1); n <= 60; n++ {
			for k := int64(0); k <= n; k++ {
				a, err := RateInterval(method, Count{k, n}, 0.9)
				if err != nil {
					t.Fatal(err)
				}
				b, _ := RateInterval(method, Count{n - k, n}, 0.9)
				if math.Abs(a.Low-(1-b.High)) > 1e-13 || math.Abs(a.High-(1-b.Low)) > 1e-13 {
					t.Fatalf("%s %d of %d: %+v against mirrored %+v", method, k, n, a, b)
				}
				if rate := float64(k) / float64(n); !a.Contains(rate) {
					t.Fatalf("%s %d of %d: %+v does not contain the observed rate", method, k, n, a)
				}
			}
		}
	}
}

// The rule of three and its exact form: 0 of n has the upper limit 1-(α/2)^(1/n).
func TestClopperPearsonClosedFormAtZero(t *testing.T) {
	t.Parallel()
	for _, n := range []int64{1, 7, 100, 12345, 1_000_000, 1_000_000_000} {
		iv, err := ClopperPearson(Count{0, n}, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		want := -math.Expm1(math.Log(0.025) / float64(n))
		if !near(iv.High, want, 1e-12) {
			t.Errorf("0 of %d: high %v, want %v", n, iv.High, want)
		}
	}
}

func TestRateIntervalsRefuseBadInput(t *testing.T) {
	t.Parallel()
	for _, method := range []Method{MethodWilson, MethodClopperPearson, MethodJeffreys} {
		for _, c := range []Count{{}, {1, 0}, {2, 1}, {-1, 5}, {0, -3}, {math.MinInt64, math.MaxInt64}, {0, math.MaxInt64}} {
			if iv, err := RateInterval(method, c, 0.95); !errors.Is(err, ErrCount) || iv != (Interval{}) {
				t.Errorf("%s %+v: %+v, %v; want ErrCount and no number", method, c, iv, err)
			}
		}
		for _, level := range []float64{0, 1, -0.1, 1.5, 95, math.NaN(), math.Inf(1)} {
			if iv, err := RateInterval(method, Count{1, 10}, level); !errors.Is(err, ErrLevel) || iv != (Interval{}) {
				t.Errorf("%s level %v: %+v, %v; want ErrLevel and no number", method, level, iv, err)
			}
		}
	}
	if _, err := RateInterval("wald", Count{1, 10}, 0.95); err == nil {
		t.Error("an unknown method was accepted")
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		count Count
		want  string
	}{
		{Count{0, 100}, "0 of 100: the rate could still be 3.7 %"},
		{Count{100, 100}, "100 of 100: the rate could be as low as 96.3 %"},
		{Count{16, 100}, "16 of 100: 16 % (10 % to 24.5 %)"},
		{Count{0, 1}, "0 of 1: the rate could still be 79.4 %"},
		{Count{3, 1_000_000_000}, "3 of 1000000000: 0.0000003 % (0.0000001 % to 0.00000089 %)"},
		{Count{9996, 10000}, "9996 of 10000: 99.96 % (99.89 % to 99.985 %)"},
		{Count{}, "0 of 0: no trial counts for the rate"},
	} {
		iv, _ := Wilson(c.count, 0.95)
		if got := Words(c.count, iv); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestPercentRoundsTheSafeWay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rate           float64
		near, up, down string
	}{
		{0, "0 %", "0 %", "0 %"},
		{1, "100 %", "100 %", "100 %"},
		{0.02, "2 %", "2 %", "2 %"},
		{0.0361, "3.6 %", "3.7 %", "3.6 %"},
		{0.5, "50 %", "50 %", "50 %"},
		{0.12345, "12.3 %", "12.4 %", "12.3 %"},
		{0.99999, "99.999 %", "99.999 %", "99.999 %"},
		{-0.14, "-14 %", "-14 %", "-14 %"},
		{1e-9, "0.0000001 %", "0.0000001 %", "0.0000001 %"},
		{math.Inf(1), "+Inf", "+Inf", "+Inf"},
		{math.NaN(), "NaN", "NaN", "NaN"},
	} {
		if got := [3]string{Percent(c.rate), PercentUp(c.rate), PercentDown(c.rate)}; got != [3]string{c.near, c.up, c.down} {
			t.Errorf("%v: %q, want %q %q %q", c.rate, got, c.near, c.up, c.down)
		}
	}
}

func TestPTextStaysOnItsSide(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		p, alpha float64
		want     string
	}{
		{0.0123, 0.05, "0.012"},
		{0.0496, 0.05, "0.0496"}, // two digits would say 0.05, which is not below 0.05
		{0.04999996, 0.05, "0.04999996"},
		{0.05, 0.05, "0.05"},
		{0.0504, 0.05, "0.05"},
		{4.9e-11, 0.05, "4.9e-11"},
		{0.0496, 0, "0.05"},
		{math.NaN(), 0.05, "NaN"},
	} {
		if got := PText(c.p, c.alpha); got != c.want {
			t.Errorf("p %v at %v: %q, want %q", c.p, c.alpha, got, c.want)
		}
	}
}

func TestIntervalSurvivesJSON(t *testing.T) {
	t.Parallel()
	for _, iv := range []Interval{
		{0.1, 0.2, 0.95, MethodWilson},
		{0, math.Inf(1), 0.95, MethodKoopman},
		{math.Inf(-1), math.Inf(1), 0.9, MethodHodgesLehmann},
	} {
		data, err := json.Marshal(iv)
		if err != nil {
			t.Fatal(err)
		}
		var back Interval
		if err := json.Unmarshal(data, &back); err != nil || back != iv {
			t.Errorf("%s decodes to %+v, %v; want %+v", data, back, err, iv)
		}
	}
}

// TestTinyLowerBound keeps rates of 10⁻⁶ to their digits, and writes what is as good as nothing as 0.
func TestTinyLowerBound(t *testing.T) {
	t.Parallel()
	for rate, want := range map[float64]string{1.29e-6: "0.00012 %", 4e-17: "0 %", 0: "0 %", 3e-9: "0.0000003 %"} {
		if got := PercentDown(rate); got != want {
			t.Errorf("%g: %q, want %q", rate, got, want)
		}
	}
}
