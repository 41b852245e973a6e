package reports

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/failrate/failrate/stats"
)

// Every printed interval is rounded outward: its lower bound down and its upper bound up, so that what is read is never
// narrower than what was computed. Estimates are rounded to nearest.

// points writes a difference of shares in percentage points, with its sign.
func points(d float64) string { return pointsBy(d, math.Round) }

// pointsRange writes the interval of a difference in percentage points.
func pointsRange(iv stats.Interval) string {
	return fmt.Sprintf("%s to %s", pointsBy(iv.Low, math.Floor), pointsBy(iv.High, math.Ceil))
}

func pointsBy(d float64, round func(float64) float64) string {
	text := fmt.Sprintf("%+.1f", rounded(1000*d, round)/10)
	if text == "-0.0" || text == "+0.0" {
		return "0.0"
	}
	return strings.Replace(text, "-", "−", 1)
}

// significant writes an interval with so many significant digits, with a word or a dash between its bounds.
func significant(low, high float64, digits int, between string) string {
	text := significantBy(low, digits, math.Floor) + between + significantBy(high, digits, math.Ceil)
	return strings.ReplaceAll(text, "+Inf", "∞")
}

func significantBy(x float64, digits int, round func(float64) float64) string {
	if x != 0 && !math.IsInf(x, 0) && !math.IsNaN(x) {
		places := digits - 1 - int(math.Floor(math.Log10(math.Abs(x))))
		if places >= 0 && places < 300 { // 1e-5 is not exact, 1e5 is: scale by the latter
			scale := math.Pow(10, float64(places))
			x = rounded(x*scale, round) / scale
		} else if places < 0 {
			scale := math.Pow(10, float64(-places))
			x = rounded(x/scale, round) * scale
		}
	}
	return strconv.FormatFloat(x+0, 'g', digits, 64) // +0 turns -0 into 0
}

// rounded rounds to a whole number; one that is whole but for its last bits is not pushed on to the next.
func rounded(x float64, round func(float64) float64) float64 {
	if near := math.Round(x); math.Abs(x-near) < 1e-9*math.Max(1, math.Abs(near)) {
		return near
	}
	return round(x)
}
