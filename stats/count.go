package stats

import (
	"errors"
	"fmt"
)

// Errors that callers can test for; the wrapped message says which value was wrong.
var (
	// ErrCount says that the counts cannot be counts of failures among trials.
	ErrCount = errors.New("need 0 <= failures <= trials and at least one trial")
	// ErrLevel says that a confidence, power, level or margin lies outside its range.
	ErrLevel = errors.New("need a number strictly between 0 and 1")
)

// maxTrials bounds the trials in one count: above it float64 no longer tells
// neighbouring counts apart after squaring, and no campaign is that long.
const maxTrials = 1_000_000_000_000

// Count is K failures among N trials. The zero value holds no trials, and every
// function refuses it.
type Count struct {
	K int64 `json:"k"` // failures, 0 ≤ K ≤ N
	N int64 `json:"n"` // trials that count for the rate (pass, fail, timeout)
}

// Rate is the observed share of failures, or 0 when there are no trials; check N before
// showing it.
func (c Count) Rate() float64 {
	if c.N <= 0 {
		return 0
	}
	return float64(c.K) / float64(c.N)
}

// Add returns the failures and trials of both counts. Counts of different strata must
// not be added: use MantelHaenszel.
func (c Count) Add(d Count) Count { return Count{K: c.K + d.K, N: c.N + d.N} }

// Check returns an error that wraps ErrCount unless the count has at least one trial and
// no more failures than trials.
func (c Count) Check() error {
	if c.N < 1 || c.N > maxTrials || c.K < 0 || c.K > c.N {
		return fmt.Errorf("%d failures of %d trials: %w", c.K, c.N, ErrCount)
	}
	return nil
}

// checkArms returns the first error of the two counts, naming the arm.
func checkArms(base, variant Count) error {
	if err := base.Check(); err != nil {
		return fmt.Errorf("baseline: %w", err)
	}
	if err := variant.Check(); err != nil {
		return fmt.Errorf("variant: %w", err)
	}
	return nil
}

// checkOpen returns an error that wraps ErrLevel unless 0 < x < 1; NaN is refused too.
func checkOpen(name string, x float64) error {
	if x > 0 && x < 1 {
		return nil
	}
	return fmt.Errorf("%s %v: %w", name, x, ErrLevel)
}
