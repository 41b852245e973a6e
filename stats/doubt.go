package stats

import "math"

// The checks of doubt look for reasons not to believe that the trials of a cell are
// independent and alike. Each returns a Warning with its p-value and says whether it
// fires at alpha; when nothing is wrong it fires with at most that probability. A report
// that runs many checks should expect some to fire: alpha of zero means 0.01.

// doubtAlpha is the default rate of false alarms of one check in one cell.
const doubtAlpha = 0.01

// raise completes a warning: it fires when p is at most alpha.
func raise(code WarningCode, p, alpha float64, words func() (facts, advice string)) (Warning, bool) {
	if alpha == 0 {
		alpha = doubtAlpha
	}
	w := Warning{Code: code, P: p}
	if math.IsNaN(p) || !(p <= alpha) {
		return w, false
	}
	w.Facts, w.Advice = words()
	return w, true
}

// countFails counts the true values.
func countFails(failed []bool) int {
	k := 0
	for _, f := range failed {
		if f {
			k++
		}
	}
	return k
}
