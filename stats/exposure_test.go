package stats

import (
	"errors"
	"math"
	"strings"
	"testing"
)

func TestImpliedRate(t *testing.T) {
	t.Parallel()
	measured := Count{16, 100}
	iv, err := Wilson(measured, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	half, err := Implied(measured, iv, Exposure{Share: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	if half.Rate != 0.08 || half.Interval.Low != iv.Low/2 || half.Interval.High != iv.High/2 || half.Interval.Level != 0.95 {
		t.Errorf("%+v", half)
	}
	if want := "implied, not measured: if the condition happens in 50 % of real runs and nothing else fails, 8 % of real runs fail (5 % to 12.3 %)"; half.Sentence != want {
		t.Errorf("%q, want %q", half.Sentence, want)
	}
	// A share that is itself estimated widens the interval and costs confidence.
	share, _ := Wilson(Count{50, 100}, 0.95)
	estimated, err := Implied(measured, iv, Exposure{Share: 0.5, Interval: share})
	if err != nil || !near(estimated.Interval.Level, 0.9, 1e-12) || estimated.Interval.Low >= half.Interval.Low || estimated.Interval.High <= half.Interval.High {
		t.Errorf("%+v, %v", estimated, err)
	}
	if !strings.HasPrefix(estimated.Sentence, "implied, not measured") {
		t.Errorf("%q is not labelled as implied", estimated.Sentence)
	}
}

func TestImpliedRefusesBadInput(t *testing.T) {
	t.Parallel()
	good, _ := Wilson(Count{1, 10}, 0.95)
	for _, share := range []float64{0, -1, 1.01, math.NaN()} {
		if got, err := Implied(Count{1, 10}, good, Exposure{Share: share}); !errors.Is(err, ErrExposure) {
			t.Errorf("share %v: %+v, %v", share, got, err)
		}
	}
	if _, err := Implied(Count{}, good, Exposure{Share: 1}); !errors.Is(err, ErrCount) {
		t.Errorf("no trials: %v", err)
	}
	if _, err := Implied(Count{1, 10}, Interval{Low: 0.5, High: math.NaN()}, Exposure{Share: 1}); err == nil {
		t.Error("interval with NaN accepted")
	}
	if _, err := Implied(Count{1, 10}, good, Exposure{Share: 0.5, Interval: Interval{Low: 0.6, High: 0.7, Level: 0.9}}); !errors.Is(err, ErrExposure) {
		t.Errorf("share outside its own interval: %v", err)
	}
	if _, err := Implied(Count{1, 10}, good, Exposure{Share: 0.5, Interval: Interval{Low: 0.4, High: 0.7, Level: 0.01}}); !errors.Is(err, ErrLevel) {
		t.Errorf("levels that leave no confidence: %v", err)
	}
}
