package stats

import (
	"fmt"
	"math"
)

// Design names how a campaign decides when to stop.
type Design string

// The designs. A fixed number of trials needs no object: Judge is valid for it alone.
const (
	DesignFixed           Design = "fixed"
	DesignGroupSequential Design = "group-sequential"
	DesignAnytime         Design = "anytime"
)

// DefaultDesign is the cheaper of the two sequential designs in the simulation that
// stats/simulate runs: at the same power it takes fewer trials when the rates differ, and
// when they do not and are low. The anytime design gives up sooner on high equal rates.
const DefaultDesign = DesignGroupSequential

// Tell is the pair of rates that a campaign is meant to tell apart.
type Tell struct {
	Base    float64
	Variant float64
}

// SequentialRequest describes a sequential comparison of one variant with its baseline.
// Both arms get one trial per block, and the counts that are fed are those of whole
// blocks in which both trials count, in the order in which the blocks started.
type SequentialRequest struct {
	Claims Claims

	// Family is the number of variants that share the error rate (Bonferroni), so that
	// each can stop on its own; 0 means 1.
	Family int

	// Tell is what the campaign should be able to tell. Without it a design stops for
	// futility only when no verdict is possible any more.
	Tell *Tell

	// MaxPerArm is the most trials per arm. For the group-sequential design 0 means as
	// many as Tell needs for the power of Claims; for the anytime one, no limit.
	MaxPerArm int

	// Every is the number of blocks between looks; 0 means a look after each block up to
	// 60 trials per arm, and beyond that so many blocks that there are about 60 looks.
	Every int

	// Spending is the power of the spending function alpha·t^Spending; 0 means 1.
	Spending float64

	// DecisionsOnly leaves the intervals of each look at their widest, which saves most of
	// the time of a look; for simulation, where no fixed or equivalent is asked for.
	DecisionsOnly bool

	// Futility is the conditional power, at Tell, below which going on is futile; 0 means
	// 0.2, and a negative number turns stopping for futility off.
	Futility float64
}

// firstLook is the smallest number of trials per arm at which anything is decided.
const firstLook = 5

func (r SequentialRequest) withDefaults() (SequentialRequest, error) {
	var err error
	if r.Claims, err = r.Claims.withDefaults(); err != nil {
		return r, err
	}
	r.Family = max(1, r.Family)
	if r.Spending == 0 {
		r.Spending = 1
	}
	if r.Futility == 0 {
		r.Futility = 0.2
	}
	if !(r.Spending > 0) || math.IsInf(r.Spending, 1) {
		return r, fmt.Errorf("spending power %v: need a positive number", r.Spending)
	}
	if !(r.Futility < 1) {
		return r, fmt.Errorf("futility threshold %v: need a number below 1", r.Futility)
	}
	if r.MaxPerArm < 0 || r.Every < 0 {
		return r, fmt.Errorf("at most %d trials per arm, a look every %d blocks: need no negative number", r.MaxPerArm, r.Every)
	}
	if t := r.Tell; t != nil {
		if _, err := (PlanRequest{Base: t.Base, Variant: t.Variant}).withDefaults(); err != nil {
			return r, err
		}
	}
	return r, nil
}

func (r SequentialRequest) alpha() float64 { return (1 - r.Claims.Confidence) / float64(r.Family) }

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
