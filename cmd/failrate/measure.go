package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/failrate/failrate/harness/campaign"
	"github.com/failrate/failrate/harness/journal"
	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/reports"
)

// measureOptions are the flags of measure.
type measureOptions struct {
	source    sourceOptions
	selection selectionOptions
	until     untilOptions
	run       runOptions
	output    outputOptions
}

// runOptions say how the campaign runs.
type runOptions struct {
	Jobs      int
	Budget    time.Duration
	Shard     string
	Plan      string
	CIAttempt int
	Results   string
	Resume    string
	Images    map[string]string
	Progress  string
	DryRun    bool
	HostName  string
	Mask      []string
	NoMask    bool
}

func newMeasure(a *app) *cobra.Command {
	var o measureOptions
	c := newMeasureFlags(&o)
	more := c.Flags().String("more", "", "further arguments in one text, split as a shell splits them: for a CI workflow's input")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := parseMore(c, *more); err != nil {
			return err
		}
		if len(args) == 1 {
			o.source.Study = args[0]
		}
		return a.measure(c.Context(), o)
	}
	return c
}

// parseMore takes the flags of a text as if they had stood on the command line.
func parseMore(c *cobra.Command, text string) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	words, err := study.Split(text)
	if err == nil {
		err = c.ParseFlags(words)
	}
	if err != nil {
		return fail(exitUsage, "", "--more %q: %w", text, err)
	}
	if rest := c.Flags().Args(); len(rest) > 0 {
		return fail(exitUsage, "only flags may stand there; quote a value that has spaces", "--more %q: %q is no flag", text, rest[0])
	}
	return nil
}

// newMeasureFlags is the command without its action: resume reads the command line of an earlier run by it.
func newMeasureFlags(o *measureOptions) *cobra.Command {
	c := &cobra.Command{
		Use:   "measure [STUDY]",
		Short: "Run a campaign, or resume one, and print its table",
		Long: `measure runs the trials of a study and prints failures per variant with confidence intervals.

STUDY is the name of a built-in study (failrate list), a folder with a study.yaml, or the file itself. Without one,
-c NAME=COMMAND states a variant and its command; the first is the baseline. The baseline always runs along.

Everything that was measured is in the results folder as soon as it ended. Press Ctrl-C once to let what runs end,
twice to end it at once; --resume goes on from there.

` + exitHelp,
		Example: `  failrate measure soft-commit
  failrate measure soft-commit --variant baseline,leaders-only --on container -n 200
  failrate measure path/to/study --stress cpu-2x --jobs 2
  failrate measure soft-commit --until verdict --tell 16%:2%
  failrate measure -n 200 -c before='./old.sh --x 1' -c after=./new.sh
  failrate measure --resume results/soft-commit/20261201-101500-7f3a09c2`,
		Args: cobra.MaximumNArgs(1),
	}
	o.source.addFlags(c)
	o.selection.addFlags(c)
	o.until.addFlags(c)
	o.run.addFlags(c)
	o.output.addFlags(c)
	return c
}

func (o *runOptions) addFlags(c *cobra.Command) {
	f := c.Flags()
	f.IntVarP(&o.Jobs, "jobs", "j", 1, "trials at once; neighbours are load, so the table says the number")
	f.DurationVar(&o.Budget, "budget", 0, "stop starting trials after this long, such as 2h")
	f.StringVar(&o.Shard, "shard", "", "run one slice of the plan, such as 3/20; needs --seed")
	f.StringVar(&o.Plan, "plan", "", "refuse to run unless the plan has this digest")
	f.IntVar(&o.CIAttempt, "ci-attempt", 1, "the attempt of a re-run CI job; a later one replaces the one before")
	f.StringVar(&o.Results, "results", "results", "folder for results; the campaign makes STUDY/CAMPAIGN in it")
	f.StringVar(&o.Resume, "resume", "", "go on with the campaign in this results folder")
	f.StringToStringVar(&o.Images, "image", nil, "use a local image instead of a study's: NAME=REFERENCE")
	f.StringVar(&o.Progress, "progress", "auto", "auto (live on a terminal), plain or none")
	f.BoolVar(&o.DryRun, "dry-run", false, "print the plan and stop")
	f.StringSliceVar(&o.Mask, "mask", nil, "environment variables whose values are hidden in logs, journal and reports, beside those of usual names (*_TOKEN, *_PASSWORD, …)")
	f.BoolVar(&o.NoMask, "no-mask", false, "do not hide the values of variables with such usual names")
	f.StringVar(&o.HostName, "host-name", "", "name for this machine in the record (default: a hash of the host's name)")
}

// measure is the verb: what to run → where it is recorded → prepared subjects → the loop → the table.
func (a *app) measure(ctx context.Context, o measureOptions) error {
	claims, err := parseClaims(o.output.Asserts)
	if err != nil {
		return err
	}
	if !slices.Contains(formatNames(), o.output.Format) { // before hours of measuring, not after
		return fail(exitUsage, "formats: "+strings.Join(formatNames(), ", "), "--format %q is not one", o.output.Format)
	}
	signals := watchSignals(ctx, func(text string) { fmt.Fprintln(a.Err, text) })
	defer signals.stop() // after everything was let go of
	job, err := a.newJob(signals.ctx, o)
	if err != nil {
		return signals.before(err)
	}
	if o.run.DryRun {
		return a.printPlan(job)
	}
	job.signals = signals
	defer job.close()
	if err := job.prepare(); err != nil || !signals.begin() {
		return signals.before(err)
	}
	if err := job.open(); err != nil {
		return err
	}
	sum, err := job.loop()
	if closed := job.journal.Close(); err == nil {
		err = closed // after a failed append it says that one again
	}
	if err != nil {
		return job.unrecorded(err)
	}
	t, err := a.printTable(job, o.output)
	if err != nil {
		return err
	}
	return a.verdict(job, sum, t, claims)
}

// unrecorded says that the journal takes no more records: one that somebody else wrote to is refused, and any other can be
// gone on with when the reason, such as a full disk, is mended.
func (j *job) unrecorded(err error) error {
	if errors.Is(err, journal.ErrRefused) {
		return journalError(err)
	}
	return fail(exitIncomplete, "what had ended is on record; mend that and go on: failrate measure --resume "+j.dir, "incomplete: %w", err)
}

// verdict turns how the campaign ended into the exit status. The table has been printed.
func (a *app) verdict(job *job, sum campaign.Summary, t *reports.Table, claims []claim) error {
	resume := fmt.Sprintf("failrate measure --resume %s", job.dir)
	for _, c := range sum.Controls {
		if c.Failed {
			return fail(exitControl, "the harness or the study is wrong: do not trust the rates; see the logs in "+job.dir, "%s", c.Reason)
		}
	}
	switch {
	case sum.Stop == campaign.StopDrained && job.signalled():
		return fail(exitInterrupted, resume, "interrupted with %d of %d trials on record", sum.Settled, sum.Planned)
	case !sum.Complete():
		return fail(exitIncomplete, resume, "incomplete: %s; %d of %d trials are on record", sum.Reason, sum.Settled, sum.Planned)
	case len(job.unready) > 0:
		return fail(exitIncomplete, resume, "incomplete: the subject of %s could not be prepared", job.unreadyNames())
	}
	return checkClaims(claims, t)
}
