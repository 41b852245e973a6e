package study

import (
	"fmt"
	"math"
	"time"
)

// The limits of one study's size.
const (
	maxTrials  = 1_000_000
	maxCells   = 10_000
	manyTrials = 100_000 // above it, a warning
)

// Size is how much a study asks for. Numbers that would overflow stay at their type's largest value.
type Size struct {
	Cells   int           // variants and controls × platforms × stress levels × parameter values
	Trials  int           // over all cells; a control's run before the variants and again after them
	Longest time.Duration // when every trial takes its whole time limit and grace, one after another
}

// Size counts the study's cells and trials. For other iterations, change them in a copy of the study.
func (s *Study) Size() Size {
	strata := product(len(s.Platforms), len(s.Stress))
	for _, p := range s.Parameters {
		strata = product(strata, len(p.Values))
	}
	each := product(len(s.Variants), s.Iterations)
	for _, c := range s.Controls {
		each = sum(each, product(2, c.Iterations))
	}
	z := Size{Cells: product(strata, len(s.Variants)+len(s.Controls)), Trials: product(strata, each)}
	z.Longest = time.Duration(product(z.Trials, sum(int(s.Subject.Timeout), int(s.Subject.Grace))))
	return z
}

// Check gives an error for a size that nobody means, and a warning for one that few do.
func (z Size) Check() (warning string, err error) {
	text := fmt.Sprintf("%d trials in %d cells: one after another, up to %s", z.Trials, z.Cells, long(z.Longest))
	switch {
	case z.Trials > maxTrials || z.Cells > maxCells:
		return "", fmt.Errorf("%s (the limits are %d trials and %d cells)", text, maxTrials, maxCells)
	case z.Trials > manyTrials:
		return text, nil
	}
	return "", nil
}

// long is a duration in the unit that suits its length.
func long(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d == math.MaxInt64:
		return "centuries"
	case d > 2*365*day:
		return fmt.Sprintf("%.0f years", d.Hours()/24/365)
	case d > 2*day:
		return fmt.Sprintf("%.0f days", d.Hours()/24)
	}
	return d.Round(time.Second).String()
}

func product(a, b int) int {
	if a > 0 && b > math.MaxInt/a {
		return math.MaxInt
	}
	return a * b
}

func sum(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}
