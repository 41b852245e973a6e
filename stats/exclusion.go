package stats

import "fmt"

// Exclusion is how many trials of a cell were excluded, of all that ended.
type Exclusion struct {
	Name     string
	Excluded Count // K excluded of N ended
}

// UnequalExclusion doubts a comparison in which the variant loses another share of its
// trials than the baseline: what is excluded may be what fails. The test is Boschloo's.
func UnequalExclusion(base, variant Exclusion, alpha float64) (Warning, bool) {
	p, _, err := exactTest(BoschlooTest, base.Excluded, variant.Excluded)
	if err != nil {
		return Warning{Code: WarnUnequalExclusion, P: 1}, false
	}
	return raise(WarnUnequalExclusion, p, alpha, func() (facts, advice string) {
		return fmt.Sprintf("%q lost %d of %d trials and %q %d of %d (p %.2g)",
			variant.Name, variant.Excluded.K, variant.Excluded.N, base.Name, base.Excluded.K, base.Excluded.N, p), "what is excluded may be what fails; find out why before comparing the rates"
	})
}
