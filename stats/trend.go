package stats

import "fmt"

// Trend doubts that the rate of a cell stayed the same: it compares the positions of the
// failures with those of the passes (MannWhitney). The outcomes are in the order in which
// the trials started.
func Trend(cell string, failed []bool, alpha float64) (Warning, bool) {
	var fails, passes []float64
	late := 0
	for i, f := range failed {
		if !f {
			passes = append(passes, float64(i))
			continue
		}
		fails = append(fails, float64(i))
		if i >= (len(failed)+1)/2 {
			late++
		}
	}
	p := 1.0
	if len(fails) > 0 && len(passes) > 0 {
		p, _ = MannWhitney(fails, passes) // positions are finite and neither is empty
	}
	return raise(WarnTrend, p, alpha, func() (facts, advice string) {
		return fmt.Sprintf("in %q the rate drifts: %d of %d failures lie in the second half of the trials (p %.2g)",
			cell, late, len(fails), p), "the machine or the subject changes with time; compare with the trend of the baseline and run shorter campaigns"
	})
}
