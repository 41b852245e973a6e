package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/harness/journal"
	"github.com/failrate/failrate/harness/plan"
	"github.com/failrate/failrate/harness/trial"
)

func newReclassify(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "reclassify RESULTS STUDY",
		Short: "Derive the outcomes of a campaign again, by a study's present rules",
		Long: `reclassify judges the recorded observations again by STUDY's classes, evidence and result format, and writes a new
results folder beside the old one. The old one is not touched. A trial whose output was not kept (keep: all keeps
every one) keeps its outcome, and the command says how many did.

` + exitHelp,
		Example: `  failrate reclassify results/my-test/20261201-101500-7f3a09c2 path/to/study`,
		Args:    cobra.ExactArgs(2),
		RunE:    func(_ *cobra.Command, args []string) error { return a.reclassify(args[0], args[1]) },
	}
}

// rejudge is one pass over a journal.
type rejudge struct {
	from    string
	rules   *classify.Rules
	to      *journal.Writer
	settled map[string]bool // trials that have a final outcome by the new rules
	changed map[string]int  // by "old → new"
	blind   int             // attempts whose output was not kept
}

func (a *app) reclassify(dir, arg string) error {
	s, err := a.load(sourceOptions{Study: arg})
	if err != nil {
		return err
	}
	rules, err := classify.Compile(s)
	if err != nil {
		return wrap(exitStudy, err)
	}
	h, err := readHeader(dir)
	if err != nil {
		return journalError(err)
	}
	if h.Plan.Study != s.Name {
		return fail(exitUsage, "", "%s is a campaign of study %s, not of %s", dir, h.Plan.Study, s.Name)
	}
	h.Rules = rules.Digest()
	to := strings.TrimRight(dir, string(filepath.Separator)) + "-reclassified-" + h.Rules[:8]
	r := &rejudge{from: dir, rules: rules, settled: map[string]bool{}, changed: map[string]int{}}
	if r.to, err = journal.Create(to, h); err != nil {
		return journalError(err)
	}
	err = errors.Join(r.replay(), r.to.Close())
	if err != nil {
		return journalError(errors.Join(err, os.RemoveAll(to))) // half of it would be taken for all
	}
	for _, what := range slices.Sorted(maps.Keys(r.changed)) {
		fmt.Fprintf(a.Err, "%s: %d attempts\n", what, r.changed[what])
	}
	if r.blind > 0 {
		fmt.Fprintf(a.Err, "%d attempts keep their outcome: their output was not kept\n", r.blind)
	}
	_, err = fmt.Fprintln(a.Out, to)
	return wrap(exitUnexpected, err)
}

func (r *rejudge) replay() error {
	path := filepath.Join(r.from, journal.FileName)
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = journal.Replay(f, path, r.record)
	if err != nil {
		return err
	}
	return r.to.Note(journal.Note{Kind: "reclassified", Text: "from " + filepath.Base(r.from), At: time.Now().UTC()})
}

func (r *rejudge) record(rec *journal.Record) error {
	switch rec.Kind {
	case journal.KindHeader:
		return nil
	case journal.KindStarted:
		s, err := rec.Started()
		if err != nil || r.settled[trialOf(s.ID)] {
			return err
		}
		return r.to.Start(s)
	case journal.KindFinished:
		f, err := rec.Finished()
		if err != nil || r.settled[trialOf(f.ID)] {
			return err
		}
		return r.finished(f)
	case journal.KindNote:
		n, err := rec.Note()
		if err != nil {
			return err
		}
		return r.to.Note(n)
	}
	return nil
}

// finished judges one attempt again.
func (r *rejudge) finished(f journal.Finished) error {
	old := f.Judgement
	in := r.input(f.ID)
	switch err := r.rules.Check(f.Observation, in); {
	case errors.Is(err, fs.ErrNotExist):
		r.blind++
	case err != nil: // it was kept, and is damaged or out of reach: a judgement without it would be another one
		return fmt.Errorf("the output of %s: %w", f.ID, err)
	default:
		variant, _, _ := strings.Cut(f.ID, "/")
		f.Judgement = r.rules.Judge(variant, f.Observation, in)
	}
	if name := old.Outcome.String() + " " + old.Class + " → " + f.Judgement.Outcome.String() + " " + f.Judgement.Class; old.Outcome != f.Judgement.Outcome || old.Class != f.Judgement.Class {
		r.changed[name]++
	}
	switch f.Judgement.Outcome {
	case classify.Pass, classify.Fail, classify.Timeout, classify.Unexercised:
		r.settled[trialOf(f.ID)] = true
	case classify.Broken, classify.Censored, classify.Lost:
	}
	return r.to.Finish(f)
}

// input gives access to what was kept of an attempt. Where stdout alone was not kept, results on it are looked for in the
// whole output.
func (r *rejudge) input(id string) classify.Input {
	base := filepath.Join(r.from, "logs", plan.FileName(id))
	out := trial.Output{Log: base + ".log", Records: base + ".records.jsonl", Results: base + ".results"}
	if _, err := os.Stat(base + ".stdout.gz"); err == nil {
		out.Stdout = base + ".stdout"
	}
	return classify.OpenInput(out)
}

func trialOf(attempt string) string {
	id, _, _ := strings.Cut(attempt, "!")
	return id
}
