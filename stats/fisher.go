package stats

import "math"

// tieTolerance is the relative difference below which two probabilities, equal in exact
// arithmetic, count as equal after rounding.
const tieTolerance = 1e-11

// Fisher is the two-sided p-value of Fisher's exact test that two arms have the same
// rate: the probability, given the total of failures, of every split that is no more
// probable than the observed one (the definition of SciPy's fisher_exact and of R's
// fisher.test). It is conservative: its real error rate is often half the stated one.
func Fisher(base, variant Count) (float64, error) {
	if err := checkArms(base, variant); err != nil {
		return 0, err
	}
	h := hypergeometric{n1: float64(base.N), n2: float64(variant.N), total: float64(base.K + variant.K)}
	x := float64(base.K)
	limit := h.prob(x) * (1 + tieTolerance)
	mode := h.mode()
	switch {
	case h.prob(mode) <= limit:
		return 1, nil
	case x < mode:
		return min(1, h.sumDown(x)+h.sumUp(h.aboveMode(mode, limit))), nil
	default:
		return min(1, h.sumUp(x)+h.sumDown(h.belowMode(mode, limit))), nil
	}
}

// aboveMode is the smallest value above the mode whose probability is at most limit; one
// past the maximum when there is none. The mode's own probability exceeds limit.
func (h hypergeometric) aboveMode(mode, limit float64) float64 {
	inside, outside := mode, h.max()+1
	for outside-inside > 1 {
		mid := math.Floor((inside + outside) / 2)
		if h.prob(mid) <= limit {
			outside = mid
		} else {
			inside = mid
		}
	}
	return outside
}

// belowMode is the mirror image of aboveMode; one before the minimum when there is none.
func (h hypergeometric) belowMode(mode, limit float64) float64 {
	inside, outside := mode, h.min()-1
	for inside-outside > 1 {
		mid := math.Floor((inside + outside) / 2)
		if h.prob(mid) <= limit {
			outside = mid
		} else {
			inside = mid
		}
	}
	return outside
}

// mode is the most probable value, (total+1)(n1+1)/(n1+n2+2) rounded down.
func (h hypergeometric) mode() float64 {
	return math.Floor((h.total + 1) * (h.n1 + 1) / (h.n1 + h.n2 + 2))
}
