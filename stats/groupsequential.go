package stats

import (
	"fmt"
	"math"
)

// groupMaxTrials bounds the trials per arm of a group-sequential design; making one of
// that size takes about three seconds.
const groupMaxTrials = 1000

// GroupSequential decides at planned looks, with an error rate that is exact whatever the
// common rate of the arms: see newBoundary for the boundary and newFutility for stopping
// without a difference. It is not safe for concurrent use.
type GroupSequential struct {
	request  SequentialRequest
	boundary boundary
	futility futility
	tail     float64 // nominal tail of the repeated intervals
	halfTail float64 // the same at half the error rate, for quotients of two rates
	seen     int     // looks so far
	last     int     // trials per arm at the latest look
	stopped  bool    // with a verdict or complete
}

// NewGroupSequential makes a design. It needs MaxPerArm or Tell, and at most 1000 trials
// per arm; the anytime design has no such limit.
func NewGroupSequential(r SequentialRequest) (*GroupSequential, error) {
	r, err := r.withDefaults()
	if err != nil {
		return nil, err
	}
	if r.MaxPerArm == 0 {
		if r.Tell == nil {
			return nil, fmt.Errorf("a group-sequential design needs the most trials per arm, or two rates to tell apart")
		}
		if r.MaxPerArm, err = r.chooseMax(); err != nil {
			return nil, err
		}
	}
	if r.MaxPerArm > groupMaxTrials {
		return nil, fmt.Errorf("a group-sequential design of %d trials per arm: at most %d; use the anytime design",
			r.MaxPerArm, groupMaxTrials)
	}
	g := r.design()
	if r.DecisionsOnly {
		return g, nil
	}
	g.tail = simultaneousTail(g.boundary.looks, 1-r.Claims.Confidence)
	g.halfTail = simultaneousTail(g.boundary.looks, (1-r.Claims.Confidence)/2)
	return g, nil
}

// Restart is the same design before its first look, without the work of making it.
func (g *GroupSequential) Restart() *GroupSequential {
	again := *g
	again.seen, again.last, again.stopped = 0, 0, false
	return &again
}

// design makes the boundaries for the trials per arm that the request now holds.
func (r SequentialRequest) design() *GroupSequential {
	g := &GroupSequential{request: r, boundary: newBoundary(r.looks(), r.alpha(), r.Spending)}
	switch {
	case r.Futility < 0:
	case r.Tell != nil:
		high, low := max(r.Tell.Base, r.Tell.Variant), min(r.Tell.Base, r.Tell.Variant)
		g.futility = newFutility(g.boundary, high, low, r.Futility)
	default:
		// With rates of 1 and 0 the conditional power is 1 where a verdict is possible.
		g.futility = newFutility(g.boundary, 1, 0, 0.5)
	}
	return g
}

// Looks lists the trials per arm at which the design looks.
func (g *GroupSequential) Looks() []int { return append([]int(nil), g.boundary.looks...) }

// MaxPerArm is the most trials per arm.
func (g *GroupSequential) MaxPerArm() int { return g.request.MaxPerArm }

// Operating is the exact behaviour of the design at two rates.
func (g *GroupSequential) Operating(base, variant float64) Operating {
	return operating(g.boundary, g.futility, base, variant)
}

// Next is the number of trials per arm at the next look, or 0 when the design has stopped.
func (g *GroupSequential) Next() int {
	if g.stopped {
		return 0
	}
	for _, n := range g.boundary.looks {
		if n > g.last {
			return n
		}
	}
	return 0
}

// Look takes the failures of all trials so far, the same number in both arms and one of
// Looks. A look may be left out. After a verdict, or at the most trials, the design has
// stopped and every further look is an error; after futility it may be continued, at no
// cost in error rate.
func (g *GroupSequential) Look(base, variant Count) (Look, error) {
	if err := checkArms(base, variant); err != nil {
		return Look{}, err
	}
	k := g.indexOf(base.N)
	switch {
	case g.stopped:
		return Look{}, fmt.Errorf("look at %d trials per arm: the design has stopped at %d", base.N, g.last)
	case base.N != variant.N:
		return Look{}, fmt.Errorf("look at %d baseline and %d variant trials: count only blocks in which both count", base.N, variant.N)
	case k < 0:
		return Look{}, fmt.Errorf("look at %d trials per arm: the next planned one is at %d", base.N, g.Next())
	case int(base.N) <= g.last:
		return Look{}, fmt.Errorf("look at %d trials per arm: the last one was at %d", base.N, g.last)
	}
	g.seen, g.last = g.seen+1, int(base.N)
	l := Look{
		Design: DesignGroupSequential, Number: g.seen, Base: base, Variant: variant,
		P: g.pValue(k, int(base.K), int(variant.K)), Family: g.request.Family,
	}
	if err := g.intervals(&l); err != nil {
		return Look{}, err
	}
	l.conclude(g.request.Claims, g.futility.at(k, int(base.K), int(variant.K)), k == len(g.boundary.looks)-1)
	g.stopped = l.Decision == DecisionVerdict || l.Decision == DecisionComplete
	return l, nil
}

func (g *GroupSequential) indexOf(n int64) int {
	for k, look := range g.boundary.looks {
		if int64(look) == n {
			return k
		}
	}
	return -1
}

// pValue is the error rate spent on this outcome and all that stop earlier or are more
// extreme at the same look (stage-wise ordering); 1 inside the boundary.
func (g *GroupSequential) pValue(k, x1, x2 int) float64 {
	low, high := min(x1, x2), max(x1, x2)
	set := g.boundary.sets[k]
	if high < int(set.from[low]) {
		return 1
	}
	if p, ok := g.boundary.p[k][[2]int{low, high}]; ok {
		return p
	}
	// Reachable only because looks were left out: what was spent up to this look.
	share := float64(g.boundary.looks[k]) / float64(g.request.MaxPerArm)
	return g.request.alpha() * math.Pow(share, g.request.Spending) * safety
}

// intervals fills in the repeated intervals: all of them together, over all looks, hold
// the true values with the stated confidence.
func (g *GroupSequential) intervals(l *Look) error {
	if g.request.DecisionsOnly {
		l.withoutIntervals()
		return nil
	}
	confidence, nominal := g.request.Claims.Confidence, 1-g.tail
	var err error
	for _, x := range []struct {
		to   *Interval
		make func() (Interval, error)
	}{
		{&l.BaseRate, func() (Interval, error) { return ClopperPearson(l.Base, nominal) }},
		{&l.Rate, func() (Interval, error) { return ClopperPearson(l.Variant, nominal) }},
		{&l.Difference, func() (Interval, error) { return Newcombe(l.Base, l.Variant, nominal) }},
		{&l.Ratio, func() (Interval, error) { return quotient(l.Base, l.Variant, 1-g.halfTail, ClopperPearson) }},
	} {
		if *x.to, err = x.make(); err != nil {
			return err
		}
		x.to.Level, x.to.Method = confidence, MethodGroupSeq
	}
	return nil
}
