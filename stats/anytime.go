package stats

import (
	"fmt"
	"math"
)

// Anytime decides whenever it is asked. Its evidence against equal rates is an e-value,
// whose chance to ever reach 1/alpha is at most alpha; its intervals are confidence
// sequences. It needs no plan of looks and no most trials, lets the arms differ in
// trials, and pays for that with more of them. It is not safe for concurrent use.
//
// With Tell the e-value is the mean of two: for the rates to tell apart and for the same
// rates with the arms swapped. Without, the rates are learned from the looks before.
type Anytime struct {
	request       SequentialRequest
	base, variant Count // at the latest look
	seen          int   // looks so far
	differences   *differenceSequence
	forward       float64 // log e-value for Tell, or for the learned rates
	swapped       float64 // log e-value for Tell with the arms swapped
	highest       float64 // largest log e-value so far
	stopped       bool
}

// NewAnytime makes a design; Every and Spending of the request play no part.
func NewAnytime(r SequentialRequest) (*Anytime, error) {
	r, err := r.withDefaults()
	if err != nil {
		return nil, err
	}
	return newAnytime(r), nil
}

func newAnytime(r SequentialRequest) *Anytime {
	a := &Anytime{request: r}
	if !r.DecisionsOnly {
		a.differences = newDifferenceSequence()
	}
	return a
}

// Restart is the same design before its first look.
func (a *Anytime) Restart() *Anytime { return newAnytime(a.request) }

// Look takes the failures and trials of all blocks so far; no count may have fallen.
func (a *Anytime) Look(base, variant Count) (Look, error) {
	if err := checkArms(base, variant); err != nil {
		return Look{}, err
	}
	b := batch{
		base:    Count{K: base.K - a.base.K, N: base.N - a.base.N},
		variant: Count{K: variant.K - a.variant.K, N: variant.N - a.variant.N},
		expBase: expectation(a.base), expVar: expectation(a.variant),
	}
	for _, c := range []Count{b.base, b.variant} {
		if c.K < 0 || c.K > c.N {
			return Look{}, fmt.Errorf("look at %v and %v after %v and %v: counts since the last look: %w", base, variant, a.base, a.variant, ErrCount)
		}
	}
	switch {
	case a.stopped:
		return Look{}, fmt.Errorf("look at %d trials of the baseline: the design has stopped at %d", base.N, a.base.N)
	case b.base.N+b.variant.N == 0:
		return Look{}, fmt.Errorf("look at %d and %d trials: none since the last look", base.N, variant.N)
	}
	a.base, a.variant = base, variant
	a.seen++
	if a.differences != nil {
		a.differences.add(b)
	}
	a.grow(b)
	return a.report()
}

// grow multiplies the e-values by that of the batch.
func (a *Anytime) grow(b batch) {
	if t := a.request.Tell; t != nil {
		base, variant := possible(t.Base), possible(t.Variant)
		b.expBase, b.expVar = base, variant
		a.forward += b.growthAgainst(0)
		b.expBase, b.expVar = variant, base
		a.swapped += b.growthAgainst(0)
	} else {
		a.forward += b.growthAgainst(0)
		a.swapped = a.forward
	}
	a.highest = math.Max(a.highest, a.logE())
}

// possible keeps an assumed rate away from 0 and 1, where one unexpected outcome would
// end all evidence.
func possible(rate float64) float64 { return math.Min(math.Max(rate, 0.005), 0.995) }

// logE is the logarithm of the mean of the two e-values.
func (a *Anytime) logE() float64 {
	high, low := math.Max(a.forward, a.swapped), math.Min(a.forward, a.swapped)
	if math.IsInf(high, -1) {
		return high
	}
	return high + math.Log1p(math.Exp(low-high)) - math.Ln2
}

func (a *Anytime) report() (Look, error) {
	l := Look{
		Design: DesignAnytime, Number: a.seen, Base: a.base, Variant: a.variant,
		P: math.Min(1, math.Exp(-a.highest)), Family: a.request.Family,
	}
	if err := a.intervals(&l); err != nil {
		return Look{}, err
	}
	complete := a.request.MaxPerArm > 0 && min(a.base.N, a.variant.N) >= int64(a.request.MaxPerArm)
	l.conclude(a.request.Claims, a.futile(), complete)
	a.stopped = l.Decision == DecisionVerdict || l.Decision == DecisionComplete
	return l, nil
}

func (a *Anytime) intervals(l *Look) (err error) {
	if a.differences == nil {
		l.withoutIntervals()
		return nil
	}
	confidence := a.request.Claims.Confidence
	if l.BaseRate, err = ConfidenceSequence(a.base, confidence); err != nil {
		return err
	}
	if l.Rate, err = ConfidenceSequence(a.variant, confidence); err != nil {
		return err
	}
	l.Difference = a.differences.interval(confidence, a.variant.Rate()-a.base.Rate())
	l.Ratio, err = quotient(a.base, a.variant, 1-(1-confidence)/2, ConfidenceSequence)
	l.Ratio.Level, l.Ratio.Method = confidence, MethodAnytime
	return err
}

// futile is Wald's lower boundary (1945, Annals of Mathematical Statistics 16, 117–186):
// both e-values for Tell have fallen below (1-power)/(1-alpha). Without Tell there is no
// size of difference to give up on.
func (a *Anytime) futile() bool {
	if a.request.Tell == nil || a.request.Futility < 0 {
		return false
	}
	boundary := math.Log((1 - a.request.Claims.Power) / (1 - a.request.alpha()))
	return math.Max(a.forward, a.swapped) < boundary
}
