package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/failrate/failrate/harness/campaign"
	"github.com/failrate/failrate/harness/plan"
	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/stats"
)

// untilOptions say when a campaign may stop before its plan does, at no cost in honesty.
type untilOptions struct {
	Until  string // verdict or width:P%
	Design string
	Tell   string // P%:Q%
}

func (o *untilOptions) addFlags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.Until, "until", "", "stop early: verdict, or width:2% for an interval that narrow; -n is then the most trials per cell")
	f.StringVar(&o.Design, "design", string(stats.DefaultDesign), "how --until verdict controls its error: group-sequential or anytime")
	f.StringVar(&o.Tell, "tell", "", "for --until verdict: the rates to tell apart, such as 16%:2%; stops for futility by them")
}

// looker is what both rules give beside campaign.Looker.
type looker interface {
	campaign.Looker
	Last() map[string]string
	Err() error
}

// design is the word for the header: it says which intervals are valid.
func (o untilOptions) design() string {
	switch {
	case o.Until == "verdict":
		return o.Design
	case o.Until != "":
		return o.Until
	}
	return string(stats.DesignFixed)
}

// parsePercent reads 16% or 0.16 as a share.
func parsePercent(text string) (float64, error) {
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a share such as 2%%", text)
	}
	if percent {
		v /= 100
	}
	if !(v >= 0 && v <= 1) {
		return 0, fmt.Errorf("%q is not between 0%% and 100%%", text)
	}
	return v, nil
}

// parseTell reads 16%:2%.
func parseTell(text string) (*stats.Tell, error) {
	if text == "" {
		return nil, nil
	}
	base, variant, ok := strings.Cut(text, ":")
	if !ok {
		return nil, fail(exitUsage, "", "--tell %q is not of the form 16%%:2%%", text)
	}
	b, err := parsePercent(base)
	if err != nil {
		return nil, fail(exitUsage, "", "--tell: %w", err)
	}
	v, err := parsePercent(variant)
	if err != nil {
		return nil, fail(exitUsage, "", "--tell: %w", err)
	}
	return &stats.Tell{Base: b, Variant: v}, nil
}

// request is what the sequential designs take.
func (o untilOptions) request(s *study.Study) (stats.SequentialRequest, error) {
	tell, err := parseTell(o.Tell)
	return stats.SequentialRequest{
		Claims: stats.Claims{Confidence: s.Claims.Confidence, Tolerate: s.Claims.Tolerate, Margin: s.Claims.Margin},
		Tell:   tell,
	}, err
}

// most is the most trials per cell that the design wants when the user named none; 0 when it has no say.
func (o untilOptions) most(s *study.Study, variants int) (int, error) {
	if o.Until != "verdict" || o.Tell == "" || o.Design != string(stats.DesignGroupSequential) {
		return 0, nil
	}
	r, err := o.request(s)
	if err != nil {
		return 0, err
	}
	r.Family = max(1, variants-1)
	g, err := stats.NewGroupSequential(r)
	if err != nil {
		return 0, fail(exitUsage, "", "--tell: %w", err)
	}
	return g.MaxPerArm(), nil
}

// looker makes the rule; nil when the number of trials is fixed.
func (o untilOptions) looker(s *study.Study, p *plan.Plan) (looker, error) {
	switch {
	case o.Until == "":
		return nil, nil
	case o.Until == "verdict":
		r, err := o.request(s)
		if err != nil {
			return nil, err
		}
		r.MaxPerArm = p.Iterations
		l, err := campaign.NewSequential(p, stats.Design(o.Design), r)
		if err != nil {
			return nil, fail(exitUsage, "", "--until verdict: %w", err)
		}
		return l, nil
	case strings.HasPrefix(o.Until, "width:"):
		w, err := parsePercent(strings.TrimPrefix(o.Until, "width:"))
		if err != nil || w == 0 || w == 1 {
			return nil, fail(exitUsage, "write --until width:2%", "--until %q has no usable width", o.Until)
		}
		return campaign.NewWidth(p, stats.WidthRule{Width: w, Confidence: s.Claims.Confidence}), nil
	}
	return nil, fail(exitUsage, "--until verdict, or --until width:2%", "--until %q is neither", o.Until)
}
