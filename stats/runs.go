package stats

import (
	"fmt"
	"math"
)

// Runs doubts that the trials of a cell are independent: failures that come in streaks, or
// alternate with passes too regularly. The outcomes are those that count for the rate, in
// the order in which the trials started. The p-value is exact and two-sided, given the
// number of failures (Wald and Wolfowitz 1940, Annals of Mathematical Statistics 11,
// 147–162).
func Runs(cell string, failed []bool, alpha float64) (Warning, bool) {
	k := countFails(failed)
	runs := countRuns(failed)
	p := runsP(runs, k, len(failed)-k)
	return raise(WarnRuns, p, alpha, func() (facts, advice string) {
		how := "come in streaks"
		if float64(runs) > expectedRuns(k, len(failed)-k) {
			how = "alternate with passes more regularly than chance"
		}
		return fmt.Sprintf("in %q the %d failures of %d trials %s (%d runs, about %.0f expected, p %.2g)",
			cell, k, len(failed), how, runs, expectedRuns(k, len(failed)-k), p), "trials affect each other or conditions change; isolate them, or read the interval as too narrow"
	})
}

func countRuns(failed []bool) int {
	runs := 0
	for i, f := range failed {
		if i == 0 || f != failed[i-1] {
			runs++
		}
	}
	return runs
}

func expectedRuns(fails, passes int) float64 {
	return 1 + 2*float64(fails)*float64(passes)/float64(fails+passes)
}

// runsP doubles the smaller tail; it is 1 when all outcomes are the same.
func runsP(runs, fails, passes int) float64 {
	if fails == 0 || passes == 0 {
		return 1
	}
	below, above := 0.0, 0.0
	for r := 2; r <= 2*min(fails, passes)+1; r++ {
		p := runsProb(r, fails, passes)
		if r <= runs {
			below += p
		}
		if r >= runs {
			above += p
		}
	}
	return min(1, 2*min(below, above))
}

// runsProb is the probability of exactly r runs when every order is equally likely.
func runsProb(r, fails, passes int) float64 {
	half := r / 2
	all := logChoose(fails+passes, fails)
	split := func(a, b int) float64 { // a runs of failures, b runs of passes
		if a < 1 || b < 1 || a > fails || b > passes {
			return 0
		}
		return math.Exp(logChoose(fails-1, a-1) + logChoose(passes-1, b-1) - all)
	}
	if r%2 == 0 {
		return 2 * split(half, half)
	}
	return split(half+1, half) + split(half, half+1)
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}
