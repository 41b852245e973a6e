package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// The regularised incomplete beta function of gonum takes its leading factor from a
// difference of lgamma values and is right to six digits only at a+b = 10⁹. Here the
// factor comes from the saddle-point binomial; gonum still gives the quantile's start.

// betaLower is the probability that a Beta(a, b) variable is at most x = 1-y, for a, b > 0.
func betaLower(a, b, x, y float64) float64 {
	switch {
	case x <= 0:
		return 0
	case y <= 0:
		return 1
	case x <= (a+1)/(a+b+2):
		return betaFraction(a, b, x, y)
	default:
		return 1 - betaFraction(b, a, y, x)
	}
}

// betaDensity is the density of Beta(a, b) at x = 1-y.
func betaDensity(a, b, x, y float64) float64 {
	return binomialProb(a, a+b, x, y) * a * b / (a + b) / (x * y)
}

// betaFraction evaluates the continued fraction of Didonato and Morris 1992 (ACM
// Transactions on Mathematical Software 18, 360–373, their BFRAC) by the modified Lentz
// method. It converges for x < (a+1)/(a+b+2), in about √max(a,b) steps, and unlike the
// fraction of DLMF 8.17.22 it does not cancel when x is near 1.
func betaFraction(a, b, x, y float64) float64 {
	const tiny = 1e-300
	f := awayFromZero(a*(a*y-b*x+1)/(a+1), tiny)
	c, d := f, 0.0
	for m := 1.0; m < 1e6; m++ {
		odd := a + 2*m - 1
		num := (a + m - 1) / odd * (a + b + m - 1) / odd * m * (b - m) * x * x
		den := m + m*(b-m)*x/odd + (a+m)*(a*y-b*x+1+m*(1+y))/(odd+2)
		d = 1 / awayFromZero(den+num*d, tiny)
		c = awayFromZero(den+num/c, tiny)
		step := c * d
		f *= step
		if math.Abs(step-1) < 3e-16 {
			break
		}
	}
	return betaDensity(a, b, x, y) * x * y / f
}

func awayFromZero(v, tiny float64) float64 {
	if math.Abs(v) < tiny {
		return tiny
	}
	return v
}

// betaQuantileLower is the x with probability tail below it, 0 < tail < 1.
func betaQuantileLower(tail, a, b float64) float64 {
	return betaSolve(a, b, mathext.InvRegIncBeta(a, b, tail), func(x float64) float64 {
		return betaLower(a, b, x, 1-x) - tail
	})
}

// betaQuantileUpper is the x with probability tail above it. It is not the complement of
// a lower quantile, because 1-x has lost the digits of a small x.
func betaQuantileUpper(tail, a, b float64) float64 {
	return betaSolve(a, b, mathext.InvRegIncBeta(a, b, 1-tail), func(x float64) float64 {
		return tail - betaLower(b, a, 1-x, x)
	})
}

// betaSolve polishes a start by Newton steps inside a shrinking bracket; excess is
// increasing in x and zero at the answer.
func betaSolve(a, b, start float64, excess func(float64) float64) float64 {
	low, high := 0.0, 1.0
	x := start
	if !(x > 0 && x < 1) {
		x = a / (a + b)
	}
	for range 200 {
		e := excess(x)
		if e == 0 {
			return x
		}
		if e > 0 {
			high = x
		} else {
			low = x
		}
		next := x - e/betaDensity(a, b, x, 1-x)
		if !(next > low && next < high) {
			next = bisect(low, high)
		}
		if math.Abs(next-x) <= 4e-16*x {
			return next
		}
		x = next
	}
	return x
}

// bisect halves a bracket, in the logarithm when its ends differ by orders of magnitude.
func bisect(low, high float64) float64 {
	if low > 0 && high > 4*low {
		return math.Sqrt(low * high)
	}
	return (low + high) / 2
}
