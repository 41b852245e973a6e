package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestMedianMatchesSciPy(t *testing.T) {
	t.Parallel()
	type medianCase struct {
		X                        []float64
		Level, Median, Low, High float64
	}
	for i, c := range readReference[medianCase](t, "median.json") {
		got, err := Median(c.X, c.Level)
		if err != nil {
			t.Fatal(err)
		}
		if !near(got.Median, c.Median, 1e-14) || got.Interval.Low != c.Low || got.Interval.High != c.High || got.N != len(c.X) {
			t.Errorf("case %d: %+v, want %v in %v to %v", i, got, c.Median, c.Low, c.High)
		}
	}
}

func TestMedianOfFewValuesIsUnbounded(t *testing.T) {
	t.Parallel()
	got, err := Median([]float64{3, 1, 2}, 0.95)
	if err != nil || got.Median != 2 || !math.IsInf(got.Interval.Low, -1) || !math.IsInf(got.Interval.High, 1) {
		t.Errorf("%+v, %v", got, err)
	}
	if six, _ := Median([]float64{1, 2, 3, 4, 5, 6}, 0.95); six.Interval.Low != 1 || six.Interval.High != 6 {
		t.Errorf("six values: %+v; 2·2⁻⁶ is below 5 %%", six)
	}
}

func TestMannWhitneyMatchesR(t *testing.T) {
	t.Parallel()
	type ranksCase struct {
		A, B []float64
		P    float64
	}
	for i, c := range readReference[ranksCase](t, "mannwhitney.json") {
		got, err := MannWhitney(c.A, c.B)
		if err != nil {
			t.Fatal(err)
		}
		if !near(got, c.P, 1e-9) {
			t.Errorf("case %d (%d and %d values): %v, want %v", i, len(c.A), len(c.B), got, c.P)
		}
	}
}

func TestHodgesLehmannMatchesR(t *testing.T) {
	t.Parallel()
	type shiftCase struct {
		Variant, Base           []float64
		Level, Shift, Low, High float64
	}
	for i, c := range readReference[shiftCase](t, "hodgeslehmann.json") {
		got, err := HodgesLehmann(c.Base, c.Variant, c.Level)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.Shift-c.Shift) > 1e-9 || math.Abs(got.Interval.Low-c.Low) > 1e-9 || math.Abs(got.Interval.High-c.High) > 1e-9 {
			t.Errorf("case %d: %+v, want %v in %v to %v", i, got, c.Shift, c.Low, c.High)
		}
	}
}

// Without R: shifting the variant shifts estimate and interval, swapping the arms turns
// them round, and a large sample takes the search on bits through ties and signs.
func TestHodgesLehmannMovesWithTheData(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 9))
	base, variant := make([]float64, 3000), make([]float64, 2000)
	for i := range base {
		base[i] = math.Round(rng.NormFloat64() * 50)
	}
	for i := range variant {
		variant[i] = math.Round(rng.NormFloat64()*50) + 10
	}
	got, err := HodgesLehmann(base, variant, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	if got.Shift < 5 || got.Shift > 15 || !got.Interval.Contains(10) || got.P > 1e-5 {
		t.Errorf("%+v, want about 10", got)
	}
	swapped, err := HodgesLehmann(variant, base, 0.95)
	if err != nil || swapped.Shift != -got.Shift || swapped.Interval.Low != -got.Interval.High || swapped.P != got.P {
		t.Errorf("swapped %+v, %v; want %+v turned round", swapped, err, got)
	}
}

func TestNumericRefusesBadInput(t *testing.T) {
	t.Parallel()
	good := []float64{1, 2, 3}
	for _, bad := range [][]float64{nil, {math.NaN()}, {1, math.Inf(-1)}} {
		if got, err := Median(bad, 0.95); err == nil {
			t.Errorf("median of %v: %+v", bad, got)
		}
		for _, pair := range [][2][]float64{{good, bad}, {bad, good}} {
			if got, err := MannWhitney(pair[0], pair[1]); err == nil {
				t.Errorf("ranks of %v: %v", pair, got)
			}
			if got, err := HodgesLehmann(pair[0], pair[1], 0.95); err == nil {
				t.Errorf("shift of %v: %+v", pair, got)
			}
		}
	}
	for _, level := range []float64{0, 1, math.NaN()} {
		if got, err := Median(good, level); err == nil {
			t.Errorf("level %v: %+v", level, got)
		}
		if got, err := HodgesLehmann(good, good, level); err == nil {
			t.Errorf("level %v: %+v", level, got)
		}
	}
	if p, err := MannWhitney([]float64{7, 7}, []float64{7, 7, 7}); err != nil || p != 1 {
		t.Errorf("all values equal: %v, %v", p, err)
	}
}
