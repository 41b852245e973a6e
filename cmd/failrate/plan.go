package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/failrate/failrate/reports"
	"github.com/failrate/failrate/stats"
)

// planOptions are the flags of plan.
type planOptions struct {
	Tell       string
	ShowUnder  string
	Rate       string
	Power      float64
	Confidence float64
	Family     int
	Each       time.Duration
	Results    string
}

func newPlan(a *app) *cobra.Command {
	var o planOptions
	c := &cobra.Command{
		Use:   "plan [STUDY]",
		Short: "Say how many trials a question takes, and how long",
		Long: `plan computes, by exact enumeration, the trials per variant that tell two failure rates apart (--tell) or show that a
rate is under a bound (--show-under), as a table over the number of trials and as one answer. Machine time comes from
the durations in a results folder (--results), else from --each. With STUDY, its variants set the family of tests.`,
		Example: `  failrate plan --tell 16%:2% --power 0.8 --each 40s
  failrate plan soft-commit --show-under 2% --results results/soft-commit`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.planTrials(args, o) },
	}
	f := c.Flags()
	f.StringVar(&o.Tell, "tell", "", "rates to tell apart, baseline first, such as 16%:2%")
	f.StringVar(&o.ShowUnder, "show-under", "", "bound that a rate is to be shown under, such as 2%")
	f.StringVar(&o.Rate, "rate", "0%", "with --show-under: the rate that is assumed to be true")
	f.Float64Var(&o.Power, "power", 0.8, "chance of success if the assumed rates are true")
	f.Float64Var(&o.Confidence, "confidence", 0.95, "confidence")
	f.IntVar(&o.Family, "family", 0, "comparisons that share the error rate (default the study's variants, else 1)")
	f.DurationVar(&o.Each, "each", 0, "how long a trial takes")
	f.StringVar(&o.Results, "results", "", "results folder to take durations from")
	return c
}

func (a *app) planTrials(args []string, o planOptions) error {
	if (o.Tell == "") == (o.ShowUnder == "") {
		return fail(exitUsage, "failrate plan --tell 16%:2%", "plan needs either --tell or --show-under")
	}
	arms := 2
	if len(args) == 1 {
		s, err := a.load(sourceOptions{Study: args[0]})
		if err != nil {
			return err
		}
		arms = len(s.Variants)
	}
	if o.Family == 0 {
		o.Family = max(1, arms-1)
	}
	each, err := o.each()
	if err != nil {
		return err
	}
	if o.Tell != "" {
		return a.planTell(o, arms, each)
	}
	return a.planShowUnder(o, each)
}

// each is the time of one trial: from results when there are some, else as given; 0 means not known.
func (o planOptions) each() (time.Duration, error) {
	if o.Results == "" {
		return o.Each, nil
	}
	t, err := reports.Read([]string{o.Results})
	if err != nil {
		return 0, journalError(err)
	}
	longest := 0.0
	for _, s := range t.Strata {
		for _, c := range s.Cells {
			longest = max(longest, c.Wall.Median)
		}
	}
	return time.Duration(longest * float64(time.Second)), nil
}

func (a *app) planTell(o planOptions, arms int, each time.Duration) error {
	tell, err := parseTell(o.Tell)
	if err != nil {
		return err
	}
	p, err := stats.PlanCompare(stats.PlanRequest{
		Base: tell.Base, Variant: tell.Variant, Power: o.Power, Confidence: o.Confidence, Family: o.Family,
	})
	if err != nil {
		return wrap(exitUsage, err)
	}
	if _, err := fmt.Fprintf(a.Out, "trials per variant   power\n"); err != nil {
		return wrap(exitUnexpected, err)
	}
	for _, r := range p.Table {
		if _, err := fmt.Fprintf(a.Out, "%18d   %s\n", r.PerArm, stats.Percent(r.Power)); err != nil {
			return wrap(exitUnexpected, err)
		}
	}
	_, err = fmt.Fprintf(a.Out, "\n%d trials per variant tell %s from %s with %s power at %g %% confidence (%d comparisons)%s\n",
		p.PerArm, stats.Percent(tell.Base), stats.Percent(tell.Variant), stats.Percent(p.Power), 100*o.Confidence, o.Family,
		timeOf(int64(arms)*p.PerArm, each))
	return wrap(exitUnexpected, err)
}

func (a *app) planShowUnder(o planOptions, each time.Duration) error {
	bound, err := parsePercent(o.ShowUnder)
	if err != nil {
		return fail(exitUsage, "", "--show-under: %w", err)
	}
	rate, err := parsePercent(o.Rate)
	if err != nil {
		return fail(exitUsage, "", "--rate: %w", err)
	}
	p, err := stats.PlanShowUnder(stats.ShowUnderRequest{Bound: bound, Rate: rate, Power: o.Power, Confidence: o.Confidence})
	if err != nil {
		return wrap(exitUsage, err)
	}
	if _, err := fmt.Fprintf(a.Out, "most failures   trials   chance\n"); err != nil {
		return wrap(exitUnexpected, err)
	}
	for _, r := range p.Table {
		if _, err := fmt.Fprintf(a.Out, "%13d   %6d   %s\n", r.Failures, r.Trials, stats.Percent(r.Power)); err != nil {
			return wrap(exitUnexpected, err)
		}
	}
	last := p.Table[len(p.Table)-1]
	_, err = fmt.Fprintf(a.Out, "\n%d trials with at most %d failures show a rate under %s%s\n", last.Trials, last.Failures, stats.Percent(bound), timeOf(last.Trials, each))
	return wrap(exitUnexpected, err)
}

// timeOf says how long so many trials take; empty when that is not known.
func timeOf(trials int64, each time.Duration) string {
	if each <= 0 {
		return ""
	}
	return fmt.Sprintf("; %d trials at %s are %s of machine time in each stratum", trials, each.Round(time.Millisecond), (time.Duration(trials) * each).Round(time.Second))
}
