package stats

// hypergeometric is the distribution of the failures in the first of two arms when the
// total number of failures is held fixed and the arms do not differ. gonum has none.
type hypergeometric struct{ n1, n2, total float64 }

func (h hypergeometric) min() float64 { return max(0, h.total-h.n2) }
func (h hypergeometric) max() float64 { return min(h.n1, h.total) }

// prob is the probability of exactly x failures in the first arm: a ratio of three
// saddle-point binomials at a common rate, which cancels out.
func (h hypergeometric) prob(x float64) float64 {
	if x < h.min() || x > h.max() {
		return 0
	}
	p := h.total / (h.n1 + h.n2)
	q := (h.n1 + h.n2 - h.total) / (h.n1 + h.n2)
	return binomialProb(x, h.n1, p, q) * binomialProb(h.total-x, h.n2, p, q) /
		binomialProb(h.total, h.n1+h.n2, p, q)
}

// up is prob(x+1)/prob(x).
func (h hypergeometric) up(x float64) float64 {
	return (h.n1 - x) / (x + 1) * (h.total - x) / (h.n2 - h.total + x + 1)
}

// atMost is the probability of x or fewer. Terms are added away from x until they no
// longer matter; when x is above the mode the other side is summed instead.
func (h hypergeometric) atMost(x float64) float64 {
	switch {
	case x < h.min():
		return 0
	case x >= h.max():
		return 1
	case h.up(x) < 1 && x > h.total*h.n1/(h.n1+h.n2):
		return 1 - h.sumUp(x+1)
	}
	return h.sumDown(x)
}

// atLeast is the probability of x or more.
func (h hypergeometric) atLeast(x float64) float64 {
	switch {
	case x <= h.min():
		return 1
	case x > h.max():
		return 0
	case h.up(x-1) > 1 && x < h.total*h.n1/(h.n1+h.n2):
		return 1 - h.sumDown(x-1)
	}
	return h.sumUp(x)
}

func (h hypergeometric) sumDown(x float64) float64 {
	term := h.prob(x)
	sum := term
	for lowest := h.min(); x > lowest && term > sum*1e-19; x-- {
		term /= h.up(x - 1)
		sum += term
	}
	return min(sum, 1)
}

func (h hypergeometric) sumUp(x float64) float64 {
	term := h.prob(x)
	sum := term
	for highest := h.max(); x < highest && term > sum*1e-19; x++ {
		term *= h.up(x)
		sum += term
	}
	return min(sum, 1)
}
