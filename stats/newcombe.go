package stats

import "math"

// Newcombe is the hybrid score interval for the difference of two independent rates,
// variant minus baseline: method 10 of Newcombe 1998, Statistics in Medicine 17,
// 873–890. It joins the Wilson limits of the two arms and always lies in [-1, 1].
func Newcombe(base, variant Count, level float64) (Interval, error) {
	if err := checkArms(base, variant); err != nil {
		return Interval{}, err
	}
	if err := checkOpen("confidence", level); err != nil {
		return Interval{}, err
	}
	p0, p1 := base.Rate(), variant.Rate()
	low0, high0 := wilsonLimits(float64(base.K), float64(base.N), level)
	low1, high1 := wilsonLimits(float64(variant.K), float64(variant.N), level)
	d := p1 - p0
	return Interval{
		Low:    d - math.Hypot(p1-low1, high0-p0),
		High:   d + math.Hypot(high1-p1, p0-low0),
		Level:  level,
		Method: MethodNewcombe,
	}, nil
}
