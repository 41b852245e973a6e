package stats

import (
	"fmt"
	"math"
)

// looks lists the trials per arm at each look.
func (r SequentialRequest) looks() []int {
	every := r.Every
	if every == 0 {
		every = max(1, int(math.Ceil(float64(r.MaxPerArm)/60)))
	}
	var looks []int
	for n := every; n < r.MaxPerArm; n += every {
		if n >= firstLook {
			looks = append(looks, n)
		}
	}
	return append(looks, r.MaxPerArm)
}

// chooseMax is about the smallest number of trials per arm whose design has the power of
// the claims at the rates to tell apart: to the trial up to 200, to one per cent beyond.
func (r SequentialRequest) chooseMax() (int, error) {
	guess := normalTrials(r.Tell.Base, r.Tell.Variant, r.alpha(), r.Claims.Power)
	if guess > groupMaxTrials {
		return 0, fmt.Errorf("telling %v from %v takes about %.0f trials per arm, and a group-sequential design has at most %d; use the anytime design",
			r.Tell.Base, r.Tell.Variant, guess, groupMaxTrials)
	}
	enough := func(n int) bool {
		r.MaxPerArm = n
		o := r.design().Operating(r.Tell.Base, r.Tell.Variant)
		return max(o.Better, o.Worse) >= r.Claims.Power
	}
	low, high := int(0.8*guess), int(guess)+1
	for !enough(high) {
		if high >= groupMaxTrials {
			return 0, fmt.Errorf("telling %v from %v takes more than %d trials per arm; use the anytime design",
				r.Tell.Base, r.Tell.Variant, groupMaxTrials)
		}
		low, high = high, min(groupMaxTrials, high+max(2, high/10))
	}
	for step := max(1, high/200); high-low > step; {
		if mid := (low + high) / 2; enough(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high, nil
}
