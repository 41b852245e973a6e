package stats

import "fmt"

// Duration doubts that what fails is the subject: failures that take longer or shorter
// than passes point at a time limit, a slow machine or an early exit. The durations are
// in seconds, of trials that ended by themselves; time-outs are long by definition and
// must be left out. The test is MannWhitney's.
func Duration(cell string, passed, failed []float64, alpha float64) (Warning, bool) {
	p, err := MannWhitney(passed, failed)
	if err != nil { // a cell without passes or without failures says nothing
		return Warning{Code: WarnDuration, P: 1}, false
	}
	return raise(WarnDuration, p, alpha, func() (facts, advice string) {
		x, _ := sortedFinite(failed)
		y, _ := sortedFinite(passed)
		how := "longer"
		if middle(x) < middle(y) {
			how = "shorter"
		}
		return fmt.Sprintf("in %q failures take %s than passes (median %.3g s against %.3g s, p %.2g)",
			cell, how, middle(x), middle(y), p), "a time limit, load or an early exit may be what fails; look at the slowest and fastest failure"
	})
}
