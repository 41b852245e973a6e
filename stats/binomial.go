package stats

import "math"

// The binomial probability of gonum (and of any code that exponentiates differences of
// lgamma) has lost nine digits at n = 10⁹. This file has Loader's saddle-point form,
// which keeps them: C. Loader, "Fast and accurate computation of binomial
// probabilities", 2000.

// binomialProb is the probability of exactly k failures in n trials at rate p = 1-q.
// k and n are real numbers because the beta distribution uses it too. Both p and q are
// taken so that neither loses digits near 0.
func binomialProb(k, n, p, q float64) float64 {
	switch {
	case k < 0 || k > n:
		return 0
	case p == 0:
		return indicator(k == 0)
	case q == 0:
		return indicator(k == n)
	case k == 0:
		return math.Exp(n * logOf(q, p))
	case k == n:
		return math.Exp(n * logOf(p, q))
	}
	log := stirlingError(n) - stirlingError(k) - stirlingError(n-k) -
		deviance(k, n*p) - deviance(n-k, n*q)
	return math.Exp(log) * math.Sqrt(n/(2*math.Pi*k*(n-k)))
}

// logOf is log(p), through log1p of the complement when p is near 1.
func logOf(p, complement float64) float64 {
	if p > 0.5 {
		return math.Log1p(-complement)
	}
	return math.Log(p)
}

func indicator(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// stirlingError is log Γ(x+1) minus Stirling's approximation
// (x+½)log x - x + ½log 2π, for x > 0. The series is DLMF 5.11.1.
func stirlingError(x float64) float64 {
	if x < 16 {
		lg, _ := math.Lgamma(x + 1)
		return lg - (x+0.5)*math.Log(x) + x - 0.5*math.Log(2*math.Pi)
	}
	xx := x * x
	return (1.0/12 - (1.0/360-(1.0/1260-(1.0/1680-1.0/1188/xx)/xx)/xx)/xx) / x
}

// deviance is x log(x/m) + m - x for x, m > 0, by a series where the terms nearly cancel
// (Loader 2000, section 3).
func deviance(x, m float64) float64 {
	d := x - m
	if math.Abs(d) >= 0.1*(x+m) {
		return x*math.Log(x/m) - d
	}
	v := d / (x + m)
	sum, term := d*v, 2*x*v
	for j := 3.0; ; j += 2 {
		term *= v * v
		next := sum + term/j
		if next == sum {
			return sum
		}
		sum = next
	}
}
