package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// oddsHomogeneity is Breslow and Day's test with Tarone's correction (Tarone 1985,
// Biometrika 72, 91–95). Strata without failures or without passes say nothing and take
// no degree of freedom. It is 1 when fewer than two strata speak.
func oddsHomogeneity(tables []fourfold, ratio float64) float64 {
	if !(ratio > 0) || math.IsInf(ratio, 1) {
		return 1
	}
	var chi, excess, variance float64
	speaking := 0
	for _, f := range tables {
		fails := f.a + f.c
		if fails == 0 || fails == f.n {
			continue
		}
		speaking++
		e := expectedAtOdds(f, ratio)
		v := 1 / (1/e + 1/(fails-e) + 1/(f.n1-e) + 1/(f.n0-fails+e))
		chi += (f.a - e) * (f.a - e) / v
		excess, variance = excess+f.a-e, variance+v
	}
	if speaking < 2 {
		return 1
	}
	return chiSquareUpper(chi-excess*excess/variance, speaking-1)
}

// expectedAtOdds is the expected a of a table with its margins and the given odds ratio:
// the root of e(n0-fails+e) = ratio·(fails-e)(n1-e), in the form that does not cancel.
func expectedAtOdds(f fourfold, ratio float64) float64 {
	fails := f.a + f.c
	a := 1 - ratio
	b := ratio*(f.n1+fails) + f.n0 - fails
	c := ratio * f.n1 * fails
	return 2 * c / (b + math.Sqrt(b*b+4*a*c))
}

// differenceHomogeneity sums the squared score statistics of the strata against the
// pooled difference (Gart and Nam 1990, Biometrics 46, 637–643). The variance of a
// stratum comes from the rates restricted to that difference, so that a stratum without
// failures does not count as certain.
func differenceHomogeneity(tables []fourfold, difference float64) float64 {
	chi, speaking := 0.0, 0
	for _, f := range tables {
		p0 := restrictedBase(f, difference)
		p1 := p0 + difference
		variance := p1*(1-p1)/f.n1 + p0*(1-p0)/f.n0
		if variance > 1e-15 {
			gap := f.difference() - difference
			chi += gap * gap / variance
			speaking++
		}
	}
	if speaking < 2 {
		return 1
	}
	return chiSquareUpper(chi, speaking-1)
}

// restrictedBase is the most likely baseline rate when the variant's is higher by the
// given difference, found by halving on the slope of the likelihood.
func restrictedBase(f fourfold, difference float64) float64 {
	low, high := max(0, -difference), min(1, 1-difference)
	for range 100 {
		p0 := (low + high) / 2
		p1 := p0 + difference
		if slope(f.a, f.b, p1)+slope(f.c, f.d, p0) > 0 {
			low = p0
		} else {
			high = p0
		}
	}
	return (low + high) / 2
}

// slope is the derivative of k·log p + m·log(1-p); empty terms drop out.
func slope(k, m, p float64) float64 {
	s := 0.0
	if k > 0 {
		s += k / p
	}
	if m > 0 {
		s -= m / (1 - p)
	}
	return s
}

func chiSquareUpper(x float64, degrees int) float64 {
	if x <= 0 {
		return 1
	}
	return distuv.ChiSquared{K: float64(degrees)}.Survival(x)
}
