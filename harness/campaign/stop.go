package campaign

import (
	"fmt"

	"github.com/failrate/failrate/harness/classify"
)

// minBroken is how many broken attempts it takes before their share stops a campaign: one bad start is no pattern.
const minBroken = 5

// brokenShare watches the share of attempts that could not be run.
type brokenShare struct {
	atMost   float64
	broken   int
	attempts int
}

// add counts an attempt and reports whether the share is now too large.
func (b *brokenShare) add(o classify.Outcome) bool {
	switch o {
	case classify.Broken, classify.Lost:
		b.broken++
	case classify.Pass, classify.Fail, classify.Timeout, classify.Unexercised:
	case classify.Censored:
		return false // we ended it: it says nothing of the machine
	}
	b.attempts++
	return b.broken >= minBroken && float64(b.broken) > b.atMost*float64(b.attempts)
}

func (b *brokenShare) String() string {
	return fmt.Sprintf("%d of %d attempts were broken, more than %.0f %%", b.broken, b.attempts, 100*b.atMost)
}
