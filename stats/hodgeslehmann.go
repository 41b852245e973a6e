package stats

import (
	"math"
)

// Shift compares one numeric metric of a variant with its baseline.
type Shift struct {
	Shift    float64  `json:"shift"`    // median of all differences variant - baseline
	Interval Interval `json:"interval"` // of the shift, in the metric's unit
	P        float64  `json:"p"`        // MannWhitney
}

// HodgesLehmann is the median of all pairwise differences, variant minus baseline, with
// the interval that belongs to the Mann–Whitney test (Hodges and Lehmann 1963, Annals of
// Mathematical Statistics 34, 598–611; interval by Moses, Hollander and Wolfe 1999,
// section 4.3). It answers "by how much", under the assumption that the variant moves the
// metric and does not change its shape.
func HodgesLehmann(base, variant []float64, level float64) (Shift, error) {
	x, err := sortedFinite(variant)
	if err != nil {
		return Shift{}, err
	}
	y, err := sortedFinite(base)
	if err != nil {
		return Shift{}, err
	}
	if err := checkOpen("confidence", level); err != nil {
		return Shift{}, err
	}
	out := Shift{Interval: Interval{
		Low: math.Inf(-1), High: math.Inf(1), Level: level, Method: MethodHodgesLehmann,
	}}
	if out.P, err = MannWhitney(variant, base); err != nil {
		return Shift{}, err
	}
	pairs := int64(len(x)) * int64(len(y))
	out.Shift = kthDifference(x, y, (pairs+1)/2)/2 + kthDifference(x, y, pairs/2+1)/2
	if rank := shiftRank(len(x), len(y), (1-level)/2); rank > 0 {
		out.Interval.Low = kthDifference(x, y, rank)
		out.Interval.High = kthDifference(x, y, pairs-rank+1)
	}
	return out, nil
}

// shiftRank is the largest r for which the rank statistic is below r with at most the
// given probability; 0 when there is none.
func shiftRank(m, n int, tail float64) int64 {
	if m < exactRanks && n < exactRanks {
		sum := 0.0
		for k, p := range rankDistribution(m, n) {
			if sum += p; sum > tail {
				return int64(k)
			}
		}
	}
	mean, spread := float64(m)*float64(n)/2, math.Sqrt(float64(m)*float64(n)*float64(m+n+1)/12)
	return int64(max(0, math.Floor(mean-twoSidedZ(1-2*tail)*spread)))
}

// kthDifference is the k-th smallest x - y, counted from 1, by halving on the bits of the
// number: counting the differences up to a bound takes one pass over both sorted samples.
func kthDifference(x, y []float64, k int64) float64 {
	low, high := orderedBits(x[0]-y[len(y)-1]), orderedBits(x[len(x)-1]-y[0])
	for low < high {
		mid := low + (high-low)/2
		if countUpTo(x, y, fromOrderedBits(mid)) >= k {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return fromOrderedBits(low)
}

// countUpTo is the number of pairs with x - y at most bound.
func countUpTo(x, y []float64, bound float64) int64 {
	count, j := int64(0), 0
	for _, v := range x { // as x grows, only larger y stay within the bound
		for j < len(y) && v-y[j] > bound {
			j++
		}
		count += int64(len(y) - j)
	}
	return count
}

// orderedBits maps floats to unsigned integers of the same order.
func orderedBits(f float64) uint64 {
	b := math.Float64bits(f + 0) // turns -0 into 0
	if b>>63 == 1 {
		return ^b
	}
	return b | 1<<63
}

func fromOrderedBits(b uint64) float64 {
	if b>>63 == 1 {
		return math.Float64frombits(b &^ (1 << 63))
	}
	return math.Float64frombits(^b)
}
