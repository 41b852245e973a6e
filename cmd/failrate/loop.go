package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/failrate/failrate/harness/campaign"
	"github.com/failrate/failrate/harness/journal"
	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/reports"
)

// loop runs the campaign.
func (j *job) loop() (campaign.Summary, error) {
	show, err := j.app.newProgress(j.opts.run.Progress, j.plan, j.shard, j.skip, j.study.Claims.Confidence)
	if err != nil {
		return campaign.Summary{}, err
	}
	past, err := campaign.ReadPast(j.dir, j.plan)
	if err != nil {
		return campaign.Summary{}, err
	}
	runners, err := j.stepRunners()
	if err != nil {
		return campaign.Summary{}, wrap(exitUnexpected, err)
	}
	config := campaign.Config{
		Study: j.study, Plan: j.plan, Shard: j.shard, Skip: j.skip, Executors: j.executors, Unready: j.unready, Rules: j.rules,
		Recorder: j.journal, Past: past, Files: campaign.Files{Results: j.dir, Scratch: j.scratch}, Mask: j.mask,
		Observer: show, Jobs: j.opts.run.Jobs, Budget: j.opts.run.Budget, Drain: j.signals.drain,
		BaseEnv: map[study.Platform][]string{study.Native: nativeEnv(j.app.env)}, Steps: runners,
	}
	if j.looker != nil {
		config.Looker = j.looker
	}
	sum, err := campaign.Run(j.signals.ctx, config)
	show.close()
	if err == nil && j.looker != nil {
		err = errors.Join(j.looker.Err(), j.noteLooks())
	}
	return sum, err
}

// noteLooks puts the last look at every cell on record: the table shows its numbers, which are valid under the design.
func (j *job) noteLooks() error {
	return j.journal.Note(journal.Note{Kind: journal.NoteLook, Text: "last looks", Data: j.looker.Last(), At: time.Now().UTC()})
}

// nativeEnv is what native trials inherit: the caller's environment without what changes how test tools behave under
// CI, and without what is failrate's own.
func nativeEnv(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return strings.HasPrefix(name, "FAILRATE_") || name == "CI"
	})
}

// printTable reads the journal back and prints the table: what is shown is what is on record.
func (a *app) printTable(j *job, o outputOptions) (*reports.Table, error) {
	t, err := reports.Read([]string{j.dir})
	if err != nil {
		return nil, journalError(err)
	}
	fmt.Fprintf(a.Err, "results: %s\n", j.dir)
	return t, a.put(t, o)
}

// printPlan says what would run, in order of its strata.
func (a *app) printPlan(j *job) error {
	p := j.plan
	if _, err := fmt.Fprintf(a.Out, "%s: seed %d, %d trials, plan %.12s\n", p.Study, p.Seed, p.Trials(), p.Digest()); err != nil {
		return wrap(exitUnexpected, err)
	}
	for _, s := range p.Strata {
		for _, c := range append(slices.Clone(s.Cells), s.Controls...) {
			if _, err := fmt.Fprintf(a.Out, "%-60s %6d trials\n", c.ID(), c.Trials); err != nil {
				return wrap(exitUnexpected, err)
			}
		}
	}
	return printSteps(a.Out, j.study)
}
