package stats

import "math"

// Decision says whether a campaign goes on after a look.
type Decision string

// The decisions. All but continue stop.
const (
	DecisionContinue Decision = "continue"
	DecisionVerdict  Decision = "verdict"  // the verdict is no longer inconclusive
	DecisionFutile   Decision = "futile"   // going on would hardly show a difference
	DecisionComplete Decision = "complete" // the most trials are reached
)

// Look is what a sequential design says at one look. Its intervals and its p-value are
// valid although the campaign looked before and may stop here.
type Look struct {
	Design   Design   `json:"design"`
	Number   int      `json:"number"` // counted from 1
	Decision Decision `json:"decision"`
	Base     Count    `json:"base_count"`
	Variant  Count    `json:"variant_count"`
	P        float64  `json:"p"`      // before adjustment for the family; 1 while nothing is shown
	Family   int      `json:"family"` // comparisons that share the error rate
	Evidence
	BaseRate Interval `json:"base_rate"`
	Ratio    Interval `json:"ratio"` // variant over baseline
	Verdict  Verdict  `json:"verdict"`
	Reason   string   `json:"reason"`
	// Further is set when the campaign stops inconclusive: the trials that a new campaign
	// of fixed size would need at the observed rates.
	Further *Further `json:"further,omitempty"`
}

// conclude fills in what follows from the numbers: verdict, reason, decision.
func (l *Look) conclude(claims Claims, futile, complete bool) {
	l.Alpha, l.Tolerate, l.Margin = 1-claims.Confidence, claims.Tolerate, claims.Margin
	l.Lower = l.Variant.Rate() < l.Base.Rate()
	l.AdjustedP = min(1, l.P*float64(l.Family))
	l.agreeOnZero()
	l.Verdict, l.Reason = l.Evidence.Verdict(), l.Evidence.Reason()
	switch {
	case l.Verdict != VerdictInconclusive:
		l.Decision = DecisionVerdict
	case complete:
		l.Decision = DecisionComplete
	case futile:
		l.Decision = DecisionFutile
	default:
		l.Decision = DecisionContinue
	}
	if l.Decision == DecisionComplete || l.Decision == DecisionFutile {
		l.Further = furtherTrials(l.Base, l.Variant, claims, l.Family)
	}
}

// agreeOnZero makes the interval of the difference say about zero what the test says.
// The interval holds the differences that are not rejected; whether zero is among them
// is the test's business, and for every other difference the interval's own.
func (l *Look) agreeOnZero() {
	switch real := l.AdjustedP < l.Alpha; {
	case real && l.Lower:
		l.Difference.High, l.Ratio.High = min(l.Difference.High, 0), min(l.Ratio.High, 1)
	case real:
		l.Difference.Low, l.Ratio.Low = max(l.Difference.Low, 0), max(l.Ratio.Low, 1)
	default:
		l.Difference.Low, l.Difference.High = min(l.Difference.Low, 0), max(l.Difference.High, 0)
		l.Ratio.Low, l.Ratio.High = min(l.Ratio.Low, 1), max(l.Ratio.High, 1)
	}
}

// withoutIntervals leaves every interval at its widest.
func (l *Look) withoutIntervals() {
	rate := Interval{Low: 0, High: 1}
	l.BaseRate, l.Rate = rate, rate
	l.Difference, l.Ratio = Interval{Low: -1, High: 1}, Interval{Low: 0, High: math.Inf(1)}
}

// quotient is the interval for variant over baseline that follows from those of the two
// rates, each at half the error rate: conservative, and valid wherever they are.
func quotient(base, variant Count, level float64, rate func(Count, float64) (Interval, error)) (Interval, error) {
	b, err := rate(base, level)
	if err != nil {
		return Interval{}, err
	}
	v, err := rate(variant, level)
	if err != nil {
		return Interval{}, err
	}
	iv := Interval{Low: v.Low / b.High, High: math.Inf(1)}
	if b.Low > 0 {
		iv.High = v.High / b.Low
	}
	return iv, nil
}
