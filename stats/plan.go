package stats

import (
	"fmt"
	"math"
)

// planMaxTrials bounds exact planning; beyond it enumeration takes minutes and the
// normal approximation is off by less than one per cent.
const planMaxTrials = 2000

// PlanRequest asks how many trials per arm tell two rates apart.
type PlanRequest struct {
	Base       float64 // assumed rate of the baseline
	Variant    float64 // assumed rate of the variant
	Power      float64 // 0 means 0.8
	Confidence float64 // 0 means 0.95
	Test       Test    // empty means Boschloo
	Family     int     // comparisons that share the error rate (Bonferroni); 0 means 1
}

// PlanRow is the power at one number of trials per arm.
type PlanRow struct {
	PerArm int64   `json:"per_arm"`
	Power  float64 `json:"power"`
}

// Plan answers a PlanRequest.
type Plan struct {
	PerArm int64     `json:"per_arm"` // smallest number of trials per arm that reaches the power
	Power  float64   `json:"power"`   // at PerArm
	Exact  bool      `json:"exact"`   // false beyond 2000 trials per arm: normal approximation
	Table  []PlanRow `json:"table"`   // exact power at round shares of PerArm; empty when not Exact
}

func (r PlanRequest) withDefaults() (PlanRequest, error) {
	claims, err := Claims{Confidence: r.Confidence, Power: r.Power, Test: r.Test}.withDefaults()
	if err != nil {
		return r, err
	}
	r.Confidence, r.Power, r.Test = claims.Confidence, claims.Power, claims.Test
	r.Family = max(1, r.Family)
	for _, rate := range []float64{r.Base, r.Variant} {
		if !(rate >= 0 && rate <= 1) {
			return r, fmt.Errorf("rate %v to tell apart: need a number from 0 to 1", rate)
		}
	}
	if r.Base == r.Variant {
		return r, fmt.Errorf("rates %v and %v to tell apart: they are equal", r.Base, r.Variant)
	}
	return r, nil
}

func (r PlanRequest) alpha() float64 { return (1 - r.Confidence) / float64(r.Family) }

// PowerCompare is the exact probability that the two-sided test rejects, in the right
// direction, with n trials per arm at the assumed rates.
func PowerCompare(r PlanRequest, n int) (float64, error) {
	r, err := r.withDefaults()
	if err != nil {
		return 0, err
	}
	if n < 1 || n > planMaxTrials {
		return 0, fmt.Errorf("power at %d trials per arm: need 1 to %d", n, planMaxTrials)
	}
	return r.power(n), nil
}

// PlanCompare is the smallest number of trials per arm at which the two-sided test tells
// the assumed rates apart with the asked power. Exact power rises in teeth, not smoothly;
// the number given reaches the power and so does each of the next few.
func PlanCompare(r PlanRequest) (Plan, error) {
	r, err := r.withDefaults()
	if err != nil {
		return Plan{}, err
	}
	guess := normalTrials(r.Base, r.Variant, r.alpha(), r.Power)
	if guess > 0.9*planMaxTrials {
		return Plan{PerArm: int64(math.Ceil(min(guess, maxTrials))), Power: r.Power, Table: []PlanRow{}}, nil
	}
	n := r.firstEnough(int(guess))
	p := Plan{PerArm: int64(n), Power: r.power(n), Exact: true}
	for _, share := range []float64{0.25, 0.5, 0.75, 0.9, 1, 1.1, 1.25, 1.5, 2} {
		at := max(1, int(math.Round(share*float64(n))))
		if last := len(p.Table) - 1; last < 0 || p.Table[last].PerArm < int64(at) {
			p.Table = append(p.Table, PlanRow{PerArm: int64(at), Power: r.power(at)})
		}
	}
	return p, nil
}

// firstEnough brackets the crossing around a guess, halves the bracket, and then settles
// the teeth around it one by one.
func (r PlanRequest) firstEnough(guess int) int {
	low, high := max(0, guess*7/8), max(2, guess)
	for low > 0 && r.power(low) >= r.Power {
		low, high = low/2, low
	}
	for r.power(high) < r.Power {
		low, high = high, high+high/16+1
	}
	for high-low > 1 {
		if mid := (low + high) / 2; r.power(mid) >= r.Power {
			high = mid
		} else {
			low = mid
		}
	}
	tooth := 3 + high/100
	first := high
	for n := high + tooth; n >= max(1, high-tooth); n-- {
		if r.power(n) < r.Power {
			if n < high {
				break // a gap below the crossing ends the run of sufficient numbers
			}
			return n + 1
		}
		first = n
	}
	return first
}

// power enumerates: both tests reject on the side "first arm low" where its one-sided
// p-value is at most alpha/2. For Fisher that is so because the arms are equal, which
// makes the null distribution symmetric.
func (r PlanRequest) power(n int) float64 {
	var set staircase
	if r.Test == FisherTest {
		set = fisherStaircase(n, n, r.alpha()/2)
	} else {
		set = boschlooStaircase(n, n, r.alpha()/2)
	}
	low, high := min(r.Base, r.Variant), max(r.Base, r.Variant)
	return newBinomialArms(n, n, 1e-3).probAt(set, low, high)
}
