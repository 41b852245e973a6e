package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/failrate/failrate/stats"
)

// claim is what --assert states about a variant, in every stratum: a bound on its rate or its verdict.
type claim struct {
	text    string
	variant string
	op      string  // <= or >=; empty for a verdict
	bound   float64 // 0..1
	verdict string
}

var (
	boundClaim   = regexp.MustCompile(`^\s*([\w.-]+)\s*(<=|>=)\s*([0-9.]+)\s*%\s*$`)
	verdictClaim = regexp.MustCompile(`^\s*(fixed|better|worse|equivalent|inconclusive)\(\s*([\w.-]+)\s*\)\s*$`)
)

// parseClaim reads leaders-only <= 2% or fixed(leaders-only).
func parseClaim(text string) (claim, error) {
	if m := boundClaim.FindStringSubmatch(text); m != nil {
		percent, err := strconv.ParseFloat(m[3], 64)
		if err == nil && percent >= 0 && percent <= 100 {
			return claim{text: strings.TrimSpace(text), variant: m[1], op: m[2], bound: percent / 100}, nil
		}
	}
	if m := verdictClaim.FindStringSubmatch(text); m != nil {
		return claim{text: strings.TrimSpace(text), variant: m[2], verdict: m[1]}, nil
	}
	return claim{}, fail(exitUsage, "write 'leaders-only <= 2%' or 'fixed(leaders-only)'", "--assert %q is not a claim", text)
}

// standing is what a claim is held against: one variant in one stratum.
type standing struct {
	stratum   string
	low, high float64 // the rate's interval
	counted   bool    // whether any trial is in the rate
	verdict   string
}

// unmet says why the claim does not hold there; empty when it does. A bound must be shown, not merely not refuted: the
// whole interval lies on its side.
func (c claim) unmet(s standing) string {
	switch {
	case !s.counted:
		return fmt.Sprintf("%s: no trial of %s counts in %s", c.text, c.variant, s.stratum)
	case c.verdict != "" && s.verdict != c.verdict:
		return fmt.Sprintf("%s: the verdict in %s is %s", c.text, s.stratum, s.verdict)
	case c.op == "<=" && s.high > c.bound:
		return fmt.Sprintf("%s: in %s the rate could be %s", c.text, s.stratum, stats.PercentUp(s.high))
	case c.op == ">=" && s.low < c.bound:
		return fmt.Sprintf("%s: in %s the rate could be %s", c.text, s.stratum, stats.PercentDown(s.low))
	}
	return ""
}
