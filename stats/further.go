package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Further says what it would take to settle an inconclusive comparison.
type Further struct {
	// PerArm is the number of further trials in each arm; 0 when no number of trials
	// would do, because the observed rates are equal and the study states no margin.
	PerArm int64 `json:"per_arm"`
	// Total is the number of trials per arm that would then be reached.
	Total int64 `json:"total"`
	// Power is the chance that they settle it, if the observed rates are the true ones.
	Power float64 `json:"power"`
	// Toward is the verdict they would lead to: better, worse or equivalent.
	Toward Verdict `json:"toward,omitempty"`
}

// furtherTrials answers at the observed rates, by the normal approximation of an
// uncorrected two-sided test at alpha over the size of the family (Fleiss, Levin and Paik
// 2003, Statistical Methods for Rates and Proportions, formula 4.14). The exact answer,
// [PlanCompare], takes seconds and differs by a few trials; the observed rates are far
// less certain than that.
func furtherTrials(base, variant Count, claims Claims, family int) *Further {
	p0, p1 := base.Rate(), variant.Rate()
	alpha := (1 - claims.Confidence) / float64(max(1, family))
	f := &Further{Power: claims.Power}
	var total float64
	switch {
	case p0 != p1:
		total = normalTrials(p0, p1, alpha, claims.Power)
		f.Toward = VerdictBetter
		if p1 > p0 {
			f.Toward = VerdictWorse
		}
	case claims.Margin > 0 && p0 > 0 && p0 < 1:
		total = equivalenceTrials(p0, claims.Margin, 1-claims.Confidence, claims.Power)
		f.Toward = VerdictEquivalent
	case claims.Margin > 0:
		total = zeroDifferenceTrials(claims.Margin, claims.Confidence)
		f.Toward = VerdictEquivalent
	default:
		return f
	}
	have := min(base.N, variant.N)
	f.Total = max(have+1, int64(math.Ceil(min(total, maxTrials))))
	f.PerArm = f.Total - have
	return f
}

// normalTrials is the number of trials per arm at which a two-sided test at alpha tells
// the two rates apart with the given power.
func normalTrials(p0, p1, alpha, power float64) float64 {
	za := -distuv.UnitNormal.Quantile(alpha / 2)
	zb := distuv.UnitNormal.Quantile(power)
	mean := (p0 + p1) / 2
	s := za*math.Sqrt(2*mean*(1-mean)) + zb*math.Sqrt(p0*(1-p0)+p1*(1-p1))
	return max(1, s*s/((p0-p1)*(p0-p1)))
}

// equivalenceTrials is the number of trials per arm at which the interval of the
// difference lies inside the margin with the given power, when both rates are p.
func equivalenceTrials(p, margin, alpha, power float64) float64 {
	za := -distuv.UnitNormal.Quantile(alpha / 2)
	zb := -distuv.UnitNormal.Quantile((1 - power) / 2)
	return 2 * p * (1 - p) * (za + zb) * (za + zb) / (margin * margin)
}

// zeroDifferenceTrials is the same when neither arm has failed, or both always have: the
// Wilson limit z²/(n+z²) of each arm must stay below the margin.
func zeroDifferenceTrials(margin, confidence float64) float64 {
	z := twoSidedZ(confidence)
	return z * z * (1 - margin) / margin
}
