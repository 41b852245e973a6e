package reports

import (
	"math"
	"strconv"
	"testing"

	"github.com/failrate/failrate/stats"
)

// TestRangesAreRoundedOutward has beside each text the bounds as they were computed.
func TestRangesAreRoundedOutward(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{0, 0.0369935, "0–3.7 %"},           // 0 of 100, Wilson: z²/(n+z²) = 3.8415/103.8415
		{0.227799, 0.406357, "22.7–40.7 %"}, // 31 of 100, Wilson; to nearest it would be 22.8–40.6
		{0.102, 0.3, "10.2–30 %"},           // whole already: not pushed on
		{0.9634, 1, "96.3–100 %"},
	} {
		if got := stats.Range(stats.Interval{Low: c.low, High: c.high}); got != c.want {
			t.Errorf("%v to %v: %q, want %q", c.low, c.high, got, c.want)
		}
	}
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{-0.40636, -0.21979, "−40.7 to −21.9"},
		{-0.00004, 0.00004, "−0.1 to +0.1"},
		{0, 0.123, "0.0 to +12.3"},
		{-0.3, -0.1, "−30.0 to −10.0"},
	} {
		if got := pointsRange(stats.Interval{Low: c.low, High: c.high}); got != c.want {
			t.Errorf("%v to %v: %q, want %q", c.low, c.high, got, c.want)
		}
	}
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{0.123449, 0.123451, "0.123 to 0.124"},
		{-1234.5, 99999, "-1.24e+03 to 1e+05"},
		{0, math.Inf(1), "0 to ∞"},
		{12.3, 12.3, "12.3 to 12.3"},
		{-2.5e-9, 2.501e-9, "-2.5e-09 to 2.51e-09"},
	} {
		if got := significant(c.low, c.high, 3, " to "); got != c.want {
			t.Errorf("%v to %v: %q, want %q", c.low, c.high, got, c.want)
		}
	}
}

// FuzzOutward holds that no printed bound lies inside the interval, but for the last bits of a whole number.
func FuzzOutward(f *testing.F) {
	for _, x := range []float64{0, 1, -1, 0.0369935, 1e-200, math.MaxFloat64, 0.30000000000000004} {
		f.Add(x)
	}
	f.Fuzz(func(t *testing.T, x float64) {
		if math.IsNaN(x) || math.IsInf(x, 0) || x != 0 && math.Abs(x) < 1e-290 { // below that to nearest: no power of ten scales it
			return
		}
		slack := 2e-9 * math.Abs(x)
		for digits := 1; digits <= 5; digits++ {
			low, high := parse(t, significantBy(x, digits, math.Floor)), parse(t, significantBy(x, digits, math.Ceil))
			if low > x+slack || high < x-slack {
				t.Errorf("%v with %d digits is printed as %v and %v", x, digits, low, high)
			}
			step := 2 * math.Pow(10, 1-float64(digits)) * math.Abs(x)
			if !math.IsInf(high-low, 0) && (x-low > step || high-x > step) {
				t.Errorf("%v with %d digits is printed as %v and %v: too far off", x, digits, low, high)
			}
		}
	})
}

func parse(t *testing.T, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(x, 0) {
		t.Fatal(err)
	}
	return x
}
