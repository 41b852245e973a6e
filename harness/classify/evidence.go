package classify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/failrate/failrate/harness/trial"
)

// seen gives the names of the evidence that was seen, in the study's order.
func (r *Rules) seen(s *search, t *tally) []string {
	var out []string
	for _, e := range r.marks {
		if s.saw(e.Name) || t != nil && t.evidence[e.Name] {
			out = append(out, e.Name)
		}
	}
	return out
}

// missing gives the names of required evidence that was not seen.
func (r *Rules) missing(variant string, seen []string) []string {
	var out []string
	for _, e := range r.marks {
		if e.Required(variant) && !slices.Contains(seen, e.Name) {
			out = append(out, fmt.Sprintf("%q", e.Name))
		}
	}
	return out
}

// unexercised is the verdict on a pass that proves nothing.
func unexercised(missing []string, obs trial.Observation) verdict {
	reason := "passed without required evidence " + strings.Join(missing, ", ")
	if obs.Output.Dropped > 0 {
		reason += fmt.Sprintf(" (%d bytes of output were not kept)", obs.Output.Dropped)
	}
	return verdict{outcome: Unexercised, reason: reason}
}
