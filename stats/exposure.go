package stats

import (
	"errors"
	"fmt"
)

// ErrExposure says that a share of real runs lies outside (0, 1].
var ErrExposure = errors.New("need a share above 0 and at most 1")

// Exposure is the share of real runs in which the condition that the study forces would
// happen by itself. The zero value of Interval means that the share is known; otherwise
// it is itself an estimate.
type Exposure struct {
	Share    float64  // such as 0.5
	Interval Interval // of the share, or the zero value
}

// ImpliedRate is a rate that was not measured but follows from a measured rate and a
// stated exposure, if runs without the condition never fail this way. Reports must
// label it as implied.
type ImpliedRate struct {
	Rate     float64  `json:"rate"`
	Interval Interval `json:"interval"`
	Exposure float64  `json:"exposure"`
	Sentence string   `json:"sentence"`
}

// Implied multiplies the measured rate and its interval by the exposure. When the
// exposure has an interval of its own, the ends are multiplied with the ends, and by
// Bonferroni's inequality the product's level is the sum of both levels minus one.
func Implied(measured Count, interval Interval, exposure Exposure) (ImpliedRate, error) {
	if err := measured.Check(); err != nil {
		return ImpliedRate{}, err
	}
	if !(exposure.Share > 0 && exposure.Share <= 1) {
		return ImpliedRate{}, fmt.Errorf("exposure %v: %w", exposure.Share, ErrExposure)
	}
	if !(interval.Low >= 0 && interval.High <= 1 && interval.Low <= interval.High) {
		return ImpliedRate{}, fmt.Errorf("interval %v to %v of a rate: need 0 <= low <= high <= 1", interval.Low, interval.High)
	}
	low, high, level := exposure.Share, exposure.Share, interval.Level
	if share := exposure.Interval; share != (Interval{}) {
		if !(share.Low >= 0 && share.Low <= exposure.Share && exposure.Share <= share.High && share.High <= 1) {
			return ImpliedRate{}, fmt.Errorf("exposure %v with interval %v to %v: %w", exposure.Share, share.Low, share.High, ErrExposure)
		}
		low, high, level = share.Low, share.High, interval.Level+share.Level-1
		if err := checkOpen("joint confidence of rate and exposure", level); err != nil {
			return ImpliedRate{}, err
		}
	}
	out := ImpliedRate{
		Rate:     measured.Rate() * exposure.Share,
		Exposure: exposure.Share,
		Interval: Interval{Low: interval.Low * low, High: interval.High * high, Level: level, Method: MethodExposure},
	}
	out.Sentence = fmt.Sprintf("implied, not measured: if the condition happens in %s of real runs and nothing else fails, %s of real runs fail (%s to %s)",
		Percent(exposure.Share), Percent(out.Rate), PercentDown(out.Interval.Low), PercentUp(out.Interval.High))
	return out, nil
}
