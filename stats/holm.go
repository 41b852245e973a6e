package stats

import (
	"fmt"
	"math"
	"sort"
)

// Holm adjusts the p-values of one family so that the chance of even one false rejection
// stays at the level, whatever their dependence: Holm 1979, Scandinavian Journal of
// Statistics 6, 65–70. The result is in the order of the input, at most 1, and never
// below the raw value. The caller states the family; an empty one gives an empty result.
func Holm(p []float64) ([]float64, error) {
	order := make([]int, len(p))
	for i, v := range p {
		if math.IsNaN(v) || v < 0 || v > 1 {
			return nil, fmt.Errorf("p-value %v at position %d: need a number from 0 to 1", v, i)
		}
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return p[order[i]] < p[order[j]] })
	adjusted := make([]float64, len(p))
	highest := 0.0
	for rank, i := range order {
		highest = max(highest, min(1, p[i]*float64(len(p)-rank)))
		adjusted[i] = highest
	}
	return adjusted, nil
}
