package stats

import (
	"math"
	"slices"
)

// exactRanks is the sample size up to which the distribution of the rank sum is counted
// out; R's wilcox.test has the same bound.
const exactRanks = 50

// MannWhitney is the two-sided p-value that two samples have the same distribution, from
// the sum of ranks: exact when there are no ties and both samples are smaller than 50,
// else by the normal approximation with corrections for ties and continuity (Hollander
// and Wolfe 1999, section 4.1; the choices of R's wilcox.test).
func MannWhitney(a, b []float64) (float64, error) {
	x, err := sortedFinite(a)
	if err != nil {
		return 0, err
	}
	y, err := sortedFinite(b)
	if err != nil {
		return 0, err
	}
	u, ties := rankStatistic(x, y)
	if ties == 0 && len(x) < exactRanks && len(y) < exactRanks {
		return exactRankP(u, len(x), len(y)), nil
	}
	m, n := float64(len(x)), float64(len(y))
	total := m + n
	variance := m * n / 12 * (total + 1 - ties/(total*(total-1)))
	if variance <= 0 { // every value is the same
		return 1, nil
	}
	gap := max(0, math.Abs(u-m*n/2)-0.5)
	return normalTwoSided(gap / math.Sqrt(variance)), nil
}

// rankStatistic is the number of pairs in which x exceeds y, ties counting half, and the
// sum of t³-t over groups of t equal values.
func rankStatistic(x, y []float64) (u, ties float64) {
	all := slices.Concat(x, y)
	slices.Sort(all)
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j] == all[i] {
			j++
		}
		t := float64(j - i)
		ties += t*t*t - t
		i = j
	}
	below, upTo := 0, 0
	for _, v := range x {
		for below < len(y) && y[below] < v {
			below++
		}
		for upTo < len(y) && y[upTo] <= v {
			upTo++
		}
		u += float64(below+upTo) / 2
	}
	return u, ties
}

// exactRankP doubles the smaller tail of the statistic, which is symmetric; the lower one
// is summed because the smallest terms keep their digits.
func exactRankP(u float64, m, n int) float64 {
	u = min(u, float64(m*n)-u)
	sum := 0.0
	for k, p := range rankDistribution(m, n) {
		if float64(k) > u {
			break
		}
		sum += p
	}
	return min(1, 2*sum)
}

// rankDistribution is the probability of each value 0 … m·n of the statistic when all
// orders are equally likely, by the product of (1-q^(n+i))/(1-q^i) over i = 1 … m, each
// factor scaled so that the sum stays one.
func rankDistribution(m, n int) []float64 {
	p := make([]float64, m*n+1)
	p[0] = 1
	for i := 1; i <= m; i++ {
		for k := len(p) - 1; k >= n+i; k-- {
			p[k] -= p[k-n-i]
		}
		for k := i; k < len(p); k++ {
			p[k] += p[k-i]
		}
		for k := range p {
			p[k] *= float64(i) / float64(n+i)
		}
	}
	return p
}
