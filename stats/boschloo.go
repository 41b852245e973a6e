package stats

import "fmt"

// boschlooMaxTrials bounds the two arms together; a staircase of that size takes about a
// second.
const boschlooMaxTrials = 4_000_000

// Boschloo is the two-sided p-value of Boschloo's unconditional exact test that two arms
// have the same rate: Boschloo 1970, Statistica Neerlandica 24, 1–35, in the definition
// of SciPy's boschloo_exact, twice the smaller one-sided value, at most 1. The statistic
// of each side is Fisher's one-sided p-value and the common rate is chosen to make the
// result largest. With no failures at all, or nothing but failures, the result is 1.
//
// It is an error when both arms together hold more than four million trials; Fisher has
// no such limit.
func Boschloo(base, variant Count) (float64, error) {
	if err := checkArms(base, variant); err != nil {
		return 0, err
	}
	if base.N+variant.N > boschlooMaxTrials {
		return 0, fmt.Errorf("boschloo test of %d trials: at most %d; use Fisher", base.N+variant.N, boschlooMaxTrials)
	}
	if total := base.K + variant.K; total == 0 || total == base.N+variant.N {
		return 1, nil
	}
	first, second := base, variant // the arm that looks lower comes first
	if base.K*variant.N > variant.K*base.N {
		first, second = variant, base
	}
	p := boschlooLow(first, second, 1)
	return min(1, 2*min(p, boschlooLow(second, first, p))), nil
}

// boschlooLow is the one-sided p-value for "the first arm is low". When a lower bound
// already shows that the result is at least enough, it stops and returns that.
func boschlooLow(first, second Count, enough float64) float64 {
	n1, n2 := int(first.N), int(second.N)
	h := hypergeometric{n1: float64(n1), n2: float64(n2), total: float64(first.K + second.K)}
	statistic := h.atMost(float64(first.K))
	switch {
	case statistic >= 1-tieTolerance:
		return 1
	case statistic < 1e-290: // no room left below it; Fisher's value is an upper bound
		return statistic
	}
	if enough < 1 {
		// Fewer outcomes and a single common rate both make the probability smaller. (Not
		// 0.5, where equal arms have a tie in every row.)
		limit := min(statistic, 0.4)
		arms := newBinomialArms(n1, n2, min(limit, enough))
		if p := arms.prob(fisherStaircase(n1, n2, limit), h.total/(h.n1+h.n2)); p >= enough {
			return p
		}
	}
	return newBinomialArms(n1, n2, statistic).supremum(fisherStaircase(n1, n2, statistic))
}
