package stats

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Words says what a count allows one to conclude, for the two counts that are read
// wrongly most often: with no failure how high the rate could still be, with nothing
// but failures how low. Any other count gives its share and interval.
// An upper bound is rounded up and a lower bound down, so that the words never claim
// more than the interval.
func Words(c Count, iv Interval) string {
	of := fmt.Sprintf("%d of %d", c.K, c.N)
	switch {
	case c.N <= 0:
		return of + ": no trial counts for the rate"
	case c.K == 0:
		return of + ": the rate could still be " + PercentUp(iv.High)
	case c.K == c.N:
		return of + ": the rate could be as low as " + PercentDown(iv.Low)
	default:
		return fmt.Sprintf("%s: %s (%s to %s)", of, Percent(c.Rate()), PercentDown(iv.Low), PercentUp(iv.High))
	}
}

// Percent writes a rate with two significant digits, and with as many as it takes to
// tell it from 100 % when it is near that: 0.037 becomes "3.7 %", 0.9996 "99.96 %".
func Percent(rate float64) string { return percent(rate, math.Round) }

// PercentUp is Percent rounded up, for the upper bound of an interval.
func PercentUp(rate float64) string { return percent(rate, math.Ceil) }

// PercentDown is Percent rounded down, for the lower bound of an interval. A bound below 10⁻¹⁰ is written as 0: its digits
// would be all that is read.
func PercentDown(rate float64) string {
	if math.Abs(rate) < 1e-10 {
		rate = 0
	}
	return percent(rate, math.Floor)
}

// Range writes an interval of rates, such as "3.7–12 %". Its bounds are rounded outward, so that what is read is never
// narrower than what was computed.
func Range(iv Interval) string {
	return strings.TrimSuffix(PercentDown(iv.Low), " %") + "–" + PercentUp(iv.High)
}

func percent(rate float64, round func(float64) float64) string {
	if math.IsNaN(rate) || math.IsInf(rate, 0) {
		return strconv.FormatFloat(rate, 'g', -1, 64)
	}
	decimals := percentDecimals(rate)
	scale := math.Pow(10, float64(decimals))
	// A value that is already a round number must not be pushed up by its last bit.
	units := rate * 100 * scale
	if near := math.Round(units); math.Abs(units-near) < 1e-9*math.Max(1, math.Abs(near)) {
		units = near
	}
	text := strconv.FormatFloat(round(units)/scale, 'f', decimals, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text + " %"
}

// PText writes a p-value with two significant digits, and with as many as it takes to keep it on its side of alpha:
// 0.0496 against 0.05 becomes "0.0496" and not "0.05".
func PText(p, alpha float64) string {
	for digits := 2; ; digits++ {
		text := strconv.FormatFloat(p, 'g', digits, 64)
		if back, err := strconv.ParseFloat(text, 64); err != nil || digits == 17 || (back < alpha) == (p < alpha) {
			return text
		}
	}
}

// percentDecimals is the number of decimals that leaves two significant digits of the
// rate or of its complement, whichever is smaller.
func percentDecimals(rate float64) int {
	small := math.Min(math.Abs(rate), math.Abs(1-rate)) * 100
	if small == 0 || small >= 10 {
		if small == 0 {
			return 0
		}
		return 1
	}
	return min(1-int(math.Floor(math.Log10(small))), 15)
}
