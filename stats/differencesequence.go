package stats

import "math"

// differenceSequence is a confidence sequence for the difference of two rates: it keeps,
// for a fixed set of differences, the logarithm of the e-value against each, and holds
// those that have not reached the limit. A look costs the same however long the campaign.
type differenceSequence struct {
	deltas []float64 // rising, from -1 to 1
	logE   []float64
}

// newDifferenceSequence spaces the differences by one per cent of their size, down to 10⁻⁶ on
// either side of zero.
func newDifferenceSequence() *differenceSequence {
	const ratio, smallest = 1.01, 1e-6
	var positive []float64
	for d := 1.0; d > smallest; d /= ratio {
		positive = append(positive, d)
	}
	s := &differenceSequence{}
	for _, d := range positive {
		s.deltas = append(s.deltas, -d)
	}
	s.deltas = append(s.deltas, 0)
	for i := len(positive) - 1; i >= 0; i-- {
		s.deltas = append(s.deltas, positive[i])
	}
	s.logE = make([]float64, len(s.deltas))
	return s
}

// add multiplies every e-value by that of the batch.
func (s *differenceSequence) add(b batch) {
	for i, delta := range s.deltas {
		s.logE[i] += b.growthAgainst(delta)
	}
}

// interval spans from the smallest to the largest difference that is held, and to their
// rejected neighbours, so that it is never too narrow. When all are rejected, which has
// at most the chance of an error, it is the given observed difference.
func (s *differenceSequence) interval(level, observed float64) Interval {
	limit := -math.Log(1 - level)
	first, last := 0, len(s.deltas)-1
	for first <= last && s.logE[first] >= limit {
		first++
	}
	for last >= first && s.logE[last] >= limit {
		last--
	}
	iv := Interval{Low: observed, High: observed, Level: level, Method: MethodAnytime}
	if first <= last {
		iv.Low, iv.High = s.deltas[max(0, first-1)], s.deltas[min(len(s.deltas)-1, last+1)]
	}
	return iv
}
