package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Part is the share of one cell that one shard, machine or value of a fact has seen.
type Part struct {
	Name  string
	Count Count
}

// Shards doubts that the shards or machines of a cell have the same rate. Parts without
// trials are left out.
func Shards(cell string, parts []Part, alpha float64) (Warning, bool) {
	p := homogeneousP(parts)
	return raise(WarnShards, p, alpha, func() (facts, advice string) {
		return fmt.Sprintf("in %q the rate differs between machines (%s; p %.2g)",
			cell, listParts(parts), p), "compare them before pooling, or treat the machine as part of the stratum"
	})
}

// FactVaries doubts a cell in which a fact that should be fixed (kernel, processor model,
// image digest) has more than one value. It is not a test: it always fires then. P says
// whether the rate goes with the value.
func FactVaries(cell, fact string, values []Part) (Warning, bool) {
	if len(values) < 2 {
		return Warning{Code: WarnFactVaries, P: 1}, false
	}
	p := homogeneousP(values)
	w := Warning{Code: WarnFactVaries, P: p}
	w.Facts = fmt.Sprintf("in %q the fact %q varies (%s; p %.2g that the rate does not go with it)", cell, fact, listParts(values), p)
	w.Advice = "pin it, or compare its values as strata"
	return w, true
}

// mostListed bounds the parts that a sentence names.
const mostListed = 6

// listParts writes the parts with their counts, when there are too many to list those
// first that are farthest from the rate of all; names are quoted and cut, because they
// come from outside.
func listParts(parts []Part) string {
	if len(parts) > mostListed {
		parts = farthestFirst(parts)
	}
	var list []string
	for i, p := range parts {
		if i == mostListed {
			list = append(list, fmt.Sprintf("%d more", len(parts)-mostListed))
			break
		}
		name := []rune(p.Name)
		if len(name) > 40 {
			name = append(name[:39], '…')
		}
		list = append(list, fmt.Sprintf("%q %d of %d", string(name), p.Count.K, p.Count.N))
	}
	return strings.Join(list, ", ")
}

// farthestFirst sorts parts by how far their failures are from what the rate of all would
// give them, in standard deviations of that.
func farthestFirst(parts []Part) []Part {
	var all Count
	for _, p := range parts {
		all = all.Add(p.Count)
	}
	distance := func(p Part) float64 {
		n := float64(p.Count.N)
		return math.Abs(float64(p.Count.K)-n*all.Rate()) / math.Sqrt(max(n, 1))
	}
	out := slices.Clone(parts)
	slices.SortStableFunc(out, func(a, b Part) int { return cmp.Compare(distance(b), distance(a)) })
	return out
}

// mostSplits bounds the splits of the failures over the parts that are counted out.
const mostSplits = 300_000

// homogeneousP is the p-value that all parts have the same rate, by Pearson's statistic:
// given the total of failures it is exact while there are at most 300,000 ways to split
// them, and from the chi-square distribution beyond. It is 1 when fewer than two parts
// have trials.
func homogeneousP(parts []Part) float64 {
	var sizes, fails []int
	total, all := 0, 0
	for _, p := range parts {
		if p.Count.Check() != nil {
			continue
		}
		sizes, fails = append(sizes, int(p.Count.N)), append(fails, int(p.Count.K))
		total, all = total+int(p.Count.K), all+int(p.Count.N)
	}
	if len(sizes) < 2 || total == 0 || total == all {
		return 1
	}
	if total > all/2 { // count out the rarer outcome
		for i := range fails {
			fails[i] = sizes[i] - fails[i]
		}
		total = all - total
	}
	s := newSplits(sizes, total, all)
	observed := 0.0
	for i, k := range fails {
		observed += s.term(i, k)
	}
	if s.number(total) > mostSplits {
		return chiSquareUpper(observed, len(sizes)-1)
	}
	s.limit = observed * (1 - 1e-9)
	given := binomialProb(float64(total), float64(all), s.rate, 1-s.rate)
	return min(1, s.sum(0, total, 0, 1)/given)
}

// splits walks over the ways in which failures fall on parts of given sizes. The weight of
// k failures in a part is their binomial probability at the common rate: the product over
// the parts, over that of the total, is the multivariate hypergeometric probability.
type splits struct {
	sizes  []int
	rate   float64
	limit  float64
	weight [][]float64
}

func newSplits(sizes []int, total, all int) splits {
	s := splits{sizes: sizes, rate: float64(total) / float64(all)}
	for _, n := range sizes {
		s.weight = append(s.weight, ratios(n).row(s.rate))
	}
	return s
}

// term is what k failures in part i add to Pearson's statistic.
func (s splits) term(i, k int) float64 {
	n := float64(s.sizes[i])
	gap := float64(k) - n*s.rate
	return gap * gap / (n * s.rate * (1 - s.rate))
}

// number is an upper bound of the ways: C(total + parts - 1, parts - 1).
func (s splits) number(total int) float64 {
	ways := 1.0
	for i := 1; i < len(s.sizes); i++ {
		ways *= float64(total+i) / float64(i)
	}
	return ways
}

// sum adds the weights of all splits of the remaining failures over parts i and on whose
// statistic reaches the limit.
func (s splits) sum(i, left int, statistic, weight float64) float64 {
	if i == len(s.sizes)-1 {
		if left > s.sizes[i] || statistic+s.term(i, left) < s.limit {
			return 0
		}
		return weight * s.weight[i][left]
	}
	total := 0.0
	for k := 0; k <= min(left, s.sizes[i]); k++ {
		total += s.sum(i+1, left-k, statistic+s.term(i, k), weight*s.weight[i][k])
	}
	return total
}
