package stats

import "math"

// Koopman is the score interval for the ratio of two independent rates, variant over
// baseline: Koopman 1984, Biometrics 40, 513–517, equations 2.1 to 2.3. Low is 0 when the
// variant never failed and High is +Inf when the baseline never did.
func Koopman(base, variant Count, level float64) (Interval, error) {
	if err := checkArms(base, variant); err != nil {
		return Interval{}, err
	}
	if err := checkOpen("confidence", level); err != nil {
		return Interval{}, err
	}
	s := ratioScore{
		x: float64(variant.K), n: float64(variant.N),
		y: float64(base.K), m: float64(base.N),
	}
	z := twoSidedZ(level)
	iv := Interval{Low: 0, High: math.Inf(1), Level: level, Method: MethodKoopman}
	if variant.K > 0 {
		iv.Low = s.solve(z)
	}
	if base.K > 0 {
		iv.High = s.solve(-z)
	}
	return iv, nil
}

// ratioScore is x failures of n in the variant, y of m in the baseline.
type ratioScore struct{ x, n, y, m float64 }

// at is the score statistic for the hypothesis "variant rate = ratio · baseline rate".
// It falls as the ratio rises and is zero at the observed ratio.
func (s ratioScore) at(ratio float64) float64 {
	// The restricted estimate q of the baseline's rate solves
	// (n+m)·ratio·q² - (ratio·(n+y) + x + m)·q + (x+y) = 0; its smaller root, in the form
	// that does not cancel.
	a := (s.n + s.m) * ratio
	b := ratio*(s.n+s.y) + s.x + s.m
	c := s.x + s.y
	q := 2 * c / (b + math.Sqrt(math.Max(0, b*b-4*a*c)))
	p := ratio * q
	variance := p*(1-p)/s.n + ratio*ratio*q*(1-q)/s.m
	diff := s.x/s.n - ratio*s.y/s.m
	if variance <= 0 {
		if diff == 0 {
			return 0
		}
		return math.Inf(int(math.Copysign(1, diff)))
	}
	return diff / math.Sqrt(variance)
}

// solve finds the ratio at which the statistic equals z, by halving in the logarithm.
func (s ratioScore) solve(z float64) float64 {
	low, high := 1e-18, 1e18
	for range 200 {
		mid := math.Sqrt(low) * math.Sqrt(high)
		if s.at(mid) > z {
			low = mid
		} else {
			high = mid
		}
		if high <= low*(1+1e-15) {
			break
		}
	}
	return math.Sqrt(low) * math.Sqrt(high)
}
