package stats

import (
	"fmt"
	"math"
)

// Arm is one cell of a stratum as the comparison needs it.
type Arm struct {
	Name     string
	Count    Count   // failures and trials (rounds, when clustered)
	Excluded int64   // trials with an excluded outcome that are not in Count
	Deff     float64 // design effect of clustered rounds; 0 and 1 mean independent trials

	// Interval is shown for the rate, and decides on fixed, in place of the one that the
	// claims name: that of KornGraubard when rounds are clustered. Nil means theirs.
	Interval *Interval
}

// effective is the count that independent trials of the same information would have:
// both numbers over the design effect (Rao and Scott 1992, Biometrics 48, 577–585).
func (a Arm) effective() Count {
	if !(a.Deff > 1) {
		return a.Count
	}
	n := max(1, math.Floor(float64(a.Count.N)/a.Deff))
	return Count{K: int64(math.Round(n * a.Count.Rate())), N: int64(n)}
}

func (a Arm) rateInterval(claims Claims) (Interval, error) {
	if a.Interval != nil {
		return *a.Interval, nil
	}
	return RateInterval(claims.Interval, a.effective(), claims.Confidence)
}

// Comparison is one variant against the baseline of its stratum, with every number that
// a reader needs to check the verdict.
type Comparison struct {
	Variant string  `json:"variant"`
	Test    Test    `json:"test"`
	P       float64 `json:"p"`      // before adjustment
	Family  int     `json:"family"` // comparisons that Holm adjusted for, this one included
	Evidence
	BaseRate Interval `json:"base_rate"`
	Ratio    Interval `json:"ratio"` // variant over baseline
	Verdict  Verdict  `json:"verdict"`
	Reason   string   `json:"reason"`

	// Further is set on an inconclusive verdict only.
	Further *Further `json:"further,omitempty"`

	// BestCase is the verdict if every excluded trial of the variant had passed and every
	// excluded one of the baseline had failed; WorstCase is the reverse. Both are empty
	// when nothing was excluded or neither case changes the verdict.
	BestCase  Verdict `json:"best_case,omitempty"`
	WorstCase Verdict `json:"worst_case,omitempty"`
}

// Judge compares every variant of one stratum with its baseline. The family for Holm is
// the given variants. The order of the result is that of the variants.
func Judge(base Arm, variants []Arm, claims Claims) ([]Comparison, error) {
	claims, err := claims.withDefaults()
	if err != nil {
		return nil, err
	}
	out, err := judge(base, variants, claims)
	if err != nil {
		return nil, err
	}
	for i := range out {
		if out[i].Verdict == VerdictInconclusive {
			out[i].Further = furtherTrials(base.effective(), variants[i].effective(), claims, len(variants))
		}
	}
	return out, addExtremeCases(out, base, variants, claims)
}

// judge fills everything but the further trials and the extreme cases.
func judge(base Arm, variants []Arm, claims Claims) ([]Comparison, error) {
	out := make([]Comparison, len(variants))
	raw := make([]float64, len(variants))
	for i, v := range variants {
		c, err := compare(base, v, claims)
		if err != nil {
			return nil, fmt.Errorf("variant %q against %q: %w", v.Name, base.Name, err)
		}
		out[i], raw[i] = c, c.P
	}
	adjusted, err := Holm(raw)
	if err != nil {
		return nil, err
	}
	for i := range out {
		out[i].Family, out[i].AdjustedP = len(variants), adjusted[i]
		out[i].Verdict, out[i].Reason = out[i].Evidence.Verdict(), out[i].Evidence.Reason()
	}
	return out, nil
}

// compare fills what one pair of arms decides without the rest of the family.
func compare(base, variant Arm, claims Claims) (Comparison, error) {
	if err := checkArms(base.Count, variant.Count); err != nil {
		return Comparison{}, err
	}
	b, v := base.effective(), variant.effective()
	c := Comparison{Variant: variant.Name}
	c.Alpha, c.Tolerate, c.Margin = 1-claims.Confidence, claims.Tolerate, claims.Margin
	c.Lower = v.Rate() < b.Rate()
	var err error
	if c.P, c.Test, err = exactTest(claims.Test, b, v); err != nil {
		return c, err
	}
	if c.BaseRate, err = base.rateInterval(claims); err != nil {
		return c, err
	}
	if c.Rate, err = variant.rateInterval(claims); err != nil {
		return c, err
	}
	if c.Difference, err = Newcombe(b, v, claims.Confidence); err != nil {
		return c, err
	}
	c.Ratio, err = Koopman(b, v, claims.Confidence)
	return c, err
}

// addExtremeCases judges the family twice more, with the excluded trials counted as
// passed and as failed, and keeps the two verdicts where one differs.
func addExtremeCases(out []Comparison, base Arm, variants []Arm, claims Claims) error {
	excluded := base.Excluded
	for _, v := range variants {
		if v.Excluded < 0 || base.Excluded < 0 {
			return fmt.Errorf("variant %q against %q: a negative number of excluded trials", v.Name, base.Name)
		}
		excluded += v.Excluded
	}
	if excluded == 0 {
		return nil
	}
	best, err := judge(counting(base, true), countingAll(variants, false), claims)
	if err != nil {
		return err
	}
	worst, err := judge(counting(base, false), countingAll(variants, true), claims)
	if err != nil {
		return err
	}
	for i := range out {
		if best[i].Verdict != out[i].Verdict || worst[i].Verdict != out[i].Verdict {
			out[i].BestCase, out[i].WorstCase = best[i].Verdict, worst[i].Verdict
		}
	}
	return nil
}

// counting is the arm with its excluded trials counted as failed or as passed.
func counting(a Arm, failed bool) Arm {
	a.Count.N += a.Excluded
	if failed {
		a.Count.K += a.Excluded
	}
	a.Excluded, a.Interval = 0, nil
	return a
}

func countingAll(arms []Arm, failed bool) []Arm {
	out := make([]Arm, len(arms))
	for i, a := range arms {
		out[i] = counting(a, failed)
	}
	return out
}
