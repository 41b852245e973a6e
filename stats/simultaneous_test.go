package stats

import "testing"

// The counts that a rate holds are those whose Clopper–Pearson interval holds the rate.
func TestHeldCountsAreThoseOfTheInterval(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 5, 20, 73} {
		for _, tail := range []float64{0.2, 0.05, 0.003} {
			for _, rate := range evenRates(60) {
				first, last := heldCounts(n, rate, tail/2)
				for k := 0; k <= n; k++ {
					iv, err := ClopperPearson(Count{int64(k), int64(n)}, 1-tail)
					if err != nil {
						t.Fatal(err)
					}
					if held := k >= first && k <= last; held != iv.Contains(rate) {
						t.Fatalf("%d of %d, tail %v, rate %v: held %v, interval %+v", k, n, tail, rate, held, iv)
					}
				}
			}
		}
	}
}

// Over all looks together the intervals miss at most as often as asked, and the tail is
// no smaller than Bonferroni's, which would always do.
func TestSimultaneousTail(t *testing.T) {
	t.Parallel()
	for _, looks := range [][]int{{40}, {300}, {10, 20, 30}, {5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, {25, 50, 75, 100}} {
		for _, miss := range []float64{0.05} {
			tail := simultaneousTail(looks, miss)
			if tail < miss/float64(len(looks)) || tail > miss {
				t.Errorf("looks %v: tail %v for %v", looks, tail, miss)
			}
			arm, worst := newOneArm(looks), 0.0
			for _, rate := range lowerHalf(evenRates(401)) {
				worst = max(worst, arm.missAt(rate, tail))
			}
			if worst > miss {
				t.Errorf("looks %v: tail %v misses %v, allowed %v", looks, tail, worst, miss)
			}
			if len(looks) > 3 && tail < 1.2*miss/float64(len(looks)) {
				t.Errorf("looks %v: tail %v gains nothing over Bonferroni's", looks, tail)
			}
		}
	}
}
