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
