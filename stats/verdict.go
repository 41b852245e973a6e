package stats

import (
	"fmt"
	"strings"
)

// Verdict is what the numbers allow one to conclude about a variant against its
// baseline, inside one stratum. It is a closed set; [Evidence.Verdict] defines each.
type Verdict string

// The five verdicts.
const (
	VerdictFixed        Verdict = "fixed"
	VerdictBetter       Verdict = "better"
	VerdictWorse        Verdict = "worse"
	VerdictEquivalent   Verdict = "equivalent"
	VerdictInconclusive Verdict = "inconclusive"
)

// Verdicts lists all verdicts in the order in which Evidence.Verdict tries them.
func Verdicts() []Verdict {
	return []Verdict{VerdictFixed, VerdictBetter, VerdictWorse, VerdictEquivalent, VerdictInconclusive}
}

// Evidence holds the numbers that a verdict is made from. A fixed design fills it from
// exact tests, a sequential one from its boundaries; the definitions are the same.
type Evidence struct {
	AdjustedP  float64  `json:"adjusted_p"` // p-value after Holm over the family
	Alpha      float64  `json:"alpha"`      // 1 - confidence
	Rate       Interval `json:"rate"`       // the variant's rate
	Difference Interval `json:"difference"` // variant minus baseline
	Lower      bool     `json:"lower"`      // the variant's observed rate is below the baseline's
	Tolerate   float64  `json:"tolerate"`   // tolerated rate; 0 when the study states none
	Margin     float64  `json:"margin"`     // equivalence margin of the difference; 0 for none
}

// Verdict is the one place where the verdicts are defined. The first that holds is given:
//
//   - fixed: the adjusted p-value is below alpha, the variant fails less than the
//     baseline, and the upper bound of its rate is at or under the tolerated rate. A
//     study that tolerates nothing (0) can get no fixed: no number of trials shows 0.
//   - better: the adjusted p-value is below alpha and the variant fails less.
//   - worse: the adjusted p-value is below alpha and the variant fails more.
//   - equivalent: the interval of the difference lies inside (-margin, +margin). A
//     difference that is both real and inside the margin is better or worse.
//   - inconclusive: none of these. It is not evidence of equality.
func (e Evidence) Verdict() Verdict {
	real := e.AdjustedP < e.Alpha
	switch {
	case real && e.Lower && e.Tolerate > 0 && e.Rate.High <= e.Tolerate:
		return VerdictFixed
	case real && e.Lower:
		return VerdictBetter
	case real:
		return VerdictWorse
	case e.Margin > 0 && e.Difference.Low > -e.Margin && e.Difference.High < e.Margin:
		return VerdictEquivalent
	default:
		return VerdictInconclusive
	}
}

// Reason says in one sentence which numbers made the verdict.
func (e Evidence) Reason() string {
	p := "adjusted p " + PText(e.AdjustedP, e.Alpha)
	difference := fmt.Sprintf("difference %s to %s percentage points", points(PercentDown(e.Difference.Low)), points(PercentUp(e.Difference.High)))
	switch e.Verdict() {
	case VerdictFixed:
		return fmt.Sprintf("%s is below %.2g, and the rate is at most %s, within the tolerated %s",
			p, e.Alpha, PercentUp(e.Rate.High), Percent(e.Tolerate))
	case VerdictBetter:
		if e.Tolerate > 0 {
			return fmt.Sprintf("%s is below %.2g; the rate could still be %s, above the tolerated %s",
				p, e.Alpha, PercentUp(e.Rate.High), Percent(e.Tolerate))
		}
		return fmt.Sprintf("%s is below %.2g; %s", p, e.Alpha, difference)
	case VerdictWorse:
		return fmt.Sprintf("%s is below %.2g; %s", p, e.Alpha, difference)
	case VerdictEquivalent:
		return fmt.Sprintf("%s lies inside the margin of %s percentage points", difference, points(Percent(e.Margin)))
	case VerdictInconclusive:
		return fmt.Sprintf("%s is not below %.2g; %s", p, e.Alpha, difference)
	}
	return ""
}

// points writes a difference of two rates: 5 percentage points more is not 5 % more.
func points(percent string) string { return strings.TrimSuffix(percent, " %") }
