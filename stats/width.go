package stats

import "fmt"

// WidthRule stops when the rate of a cell is known to the asked width. The width is that
// of a confidence sequence, so that stopping on it costs no confidence.
type WidthRule struct {
	Width      float64 // High minus Low at which the campaign stops, such as 0.02
	Confidence float64 // 0 means 0.95
}

// WidthLook is what the rule says about one cell.
type WidthLook struct {
	Count    Count    `json:"count"`
	Rate     Interval `json:"rate"`
	Decision Decision `json:"decision"` // continue or complete
	// Further is about how many more trials the width takes at the observed rate.
	Further int64 `json:"further"`
}

// Look takes the failures and trials so far, any number of times.
func (w WidthRule) Look(c Count) (WidthLook, error) {
	if w.Confidence == 0 {
		w.Confidence = 0.95
	}
	if err := checkOpen("width", w.Width); err != nil {
		return WidthLook{}, err
	}
	iv, err := ConfidenceSequence(c, w.Confidence)
	if err != nil {
		return WidthLook{}, err
	}
	l := WidthLook{Count: c, Rate: iv, Decision: DecisionContinue}
	if iv.Width() <= w.Width {
		l.Decision = DecisionComplete
		return l, nil
	}
	l.Further, err = w.further(c)
	return l, err
}

// further finds by doubling and halving the number of trials at which the same share of
// failures has an interval of the width; for a width that no campaign reaches it is what
// is left to 10¹² trials.
func (w WidthRule) further(c Count) (int64, error) {
	enough := func(n int64) (bool, error) {
		k := int64(c.Rate()*float64(n) + 0.5)
		iv, err := ConfidenceSequence(Count{K: k, N: n}, w.Confidence)
		return iv.Width() <= w.Width, err
	}
	low, high := c.N, min(maxTrials, 2*c.N)
	for {
		ok, err := enough(high)
		if err != nil {
			return 0, fmt.Errorf("width %v: %w", w.Width, err)
		}
		if ok {
			break
		}
		if high == maxTrials {
			return maxTrials - c.N, nil
		}
		low, high = high, min(maxTrials, 2*high)
	}
	for high-low > 1 {
		mid := low + (high-low)/2
		ok, err := enough(mid)
		if err != nil {
			return 0, fmt.Errorf("width %v: %w", w.Width, err)
		}
		if ok {
			high = mid
		} else {
			low = mid
		}
	}
	return high - c.N, nil
}
