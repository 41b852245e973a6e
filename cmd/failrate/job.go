package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/harness/journal"
	"github.com/failrate/failrate/harness/mask"
	"github.com/failrate/failrate/harness/plan"
	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/subject"
	"github.com/failrate/failrate/harness/trial"
)

// job is one run of measure: everything that is decided before the first trial, and what the run opens.
type job struct {
	app    *app
	ctx    context.Context // ends with a signal
	opts   measureOptions
	study  *study.Study
	rules  *classify.Rules
	plan   *plan.Plan
	looker looker // nil for a fixed number of trials
	mask   *mask.Mask
	shard  plan.Shard
	header journal.Header
	dir    string // the results folder

	journal   *journal.Writer
	engine    engine           // the Docker Engine, or why there is none
	skip      []study.Platform // platforms of the plan that this machine does not run
	scratch   string           // folder of attempts that run
	subjects  *subject.Preparer
	executors map[study.Platform]trial.Executor
	unready   map[string]string // by variant/platform: why its subject could not be prepared
	signals   *interrupts
	closers   []func() error
}

// newJob decides what will be run and where it is recorded. Nothing is written and nothing runs yet.
func (a *app) newJob(ctx context.Context, o measureOptions) (*job, error) {
	j := &job{app: a, ctx: ctx, opts: o, unready: map[string]string{}, executors: map[study.Platform]trial.Executor{}}
	if o.run.Resume != "" {
		if err := j.recall(); err != nil {
			return nil, err
		}
		o = j.opts
	}
	var err error
	if j.study, err = a.load(o.source); err != nil {
		return nil, err
	}
	if j.rules, err = classify.Compile(j.study); err != nil {
		return nil, wrap(exitStudy, err)
	}
	if o.run.Shard != "" {
		if j.shard, err = plan.ParseShard(o.run.Shard); err != nil {
			return nil, fail(exitUsage, "", "--shard: %w", err)
		}
		if o.selection.Seed == 0 {
			return nil, fail(exitUsage, "failrate matrix prints one", "--shard needs --seed: all shards must agree on the plan")
		}
	}
	j.engine = a.findEngine(ctx, j)
	j.closers = append(j.closers, j.engine.close)
	if err := j.makePlan(); err != nil {
		return nil, err
	}
	if err := j.hideSecrets(); err != nil {
		return nil, err
	}
	j.makeHeader()
	if o.run.Resume != "" {
		return j, j.adopt()
	}
	return j, nil
}

// makePlan selects what runs. Without --on, a platform that this machine lacks is left out, and the table says so; a
// shard keeps it in the plan, which every machine shares, and does not run it here.
func (j *job) makePlan() error {
	sel, err := j.opts.selection.selection()
	if err != nil {
		return err
	}
	if sel.Seed == 0 {
		sel.Seed = randomSeed()
	}
	chosen := j.opts.selection.On
	if len(chosen) == 0 {
		chosen = toStrings(j.study.Platforms)
	}
	if slices.Contains(chosen, string(study.Container)) && j.engine.err != nil {
		if len(j.opts.selection.On) > 0 && j.shard.Of == 0 || !slices.Contains(chosen, string(study.Native)) {
			return fail(exitUsage, hintOf(j.engine.err), "containers: %w", j.engine.err)
		}
		j.skip = []study.Platform{study.Container}
		if j.shard.Of == 0 {
			sel.Platforms = []study.Platform{study.Native}
		}
	}
	if sel.Iterations == 0 {
		if sel.Iterations, err = j.opts.until.most(j.study, len(j.study.Variants)); err != nil {
			return err
		}
	}
	digest, err := j.study.Digest()
	if err != nil {
		return wrap(exitStudy, err)
	}
	if j.plan, err = plan.New(j.study, digest, sel); err != nil {
		return wrap(exitUsage, err)
	}
	if j.looker, err = j.opts.until.looker(j.study, j.plan); err != nil {
		return err
	}
	if j.looker != nil && j.shard.Of > 0 {
		return fail(exitUsage, "leave --shard or --until out", "--until looks at all trials, and a shard has only some")
	}
	if want := j.opts.run.Plan; want != "" && want != j.plan.Digest() {
		return fail(exitUsage, "the study or failrate is not the one that failrate matrix saw", "--plan: the plan is %.12s here and %.12s there", j.plan.Digest(), want)
	}
	return nil
}

func (j *job) makeHeader() {
	now := time.Now()
	s := j.study
	j.header = journal.Header{
		Version: journal.Version, Tool: toolVersion(), Plan: *j.plan, PlanDigest: j.plan.Digest(), Rules: j.rules.Digest(), Shard: j.shard.String(),
		Attempt: j.opts.run.CIAttempt, Host: hostFacts(j.ctx, j.opts.run.HostName), Design: j.opts.until.design(), Jobs: j.opts.run.Jobs,
		Created: now.UTC(), Repeat: j.repeat(),
		Study: journal.Texts{
			Title: s.Title, Source: s.Source, Conditions: s.Conditions, Exposure: s.Exposure, Warnings: s.Warnings,
			Claims: journal.Claims{Tolerate: s.Claims.Tolerate, Margin: s.Claims.Margin, Confidence: s.Claims.Confidence},
		},
	}
	for _, c := range s.Classes {
		if c.Name != "" && !slices.Contains(j.header.Study.Classes, c.Name) {
			j.header.Study.Classes = append(j.header.Study.Classes, c.Name)
		}
	}
	j.header.Host.Engine = j.engine.version()
	if len(j.skip) > 0 {
		j.header.Study.Warnings = append(slices.Clone(s.Warnings), "containers were not measured: "+j.engine.err.Error())
		j.header.Platforms = []string{string(study.Native)}
	}
	j.header.Campaign = fmt.Sprintf("%s-%x", now.UTC().Format("20060102-150405"), suffix())
	name := j.header.Campaign
	if j.shard.Of > 0 { // the shards of a campaign share its id, wherever they run
		j.header.Campaign = "plan-" + j.header.PlanDigest[:12]
		name = fmt.Sprintf("%s-shard-%d-of-%d-attempt-%d", j.header.Campaign, j.shard.Index, j.shard.Of, max(1, j.header.Attempt))
	}
	j.dir = filepath.Join(j.opts.run.Results, s.Name, name)
}

// suffix keeps apart campaigns that begin in the same second: a matrix of jobs that share a folder may well have one seed.
func suffix() []byte {
	b := make([]byte, 4)
	_, _ = rand.Read(b) // never fails
	return b
}

// repeat is the command line that runs the same again: the same plan, in the same order.
func (j *job) repeat() []string {
	o := j.opts
	words := []string{"failrate", "measure"}
	if o.source.Study != "" {
		words = append(words, o.source.Study)
	}
	for _, c := range o.source.Commands {
		words = append(words, "-c", c)
	}
	if o.source.Shell {
		words = append(words, "--shell")
	}
	if o.source.Timeout > 0 {
		words = append(words, "--timeout", o.source.Timeout.String())
	}
	if o.source.Format != "" {
		words = append(words, "--results-format", o.source.Format)
	}
	for _, f := range []struct {
		flag   string
		values []string
	}{{"--variant", o.selection.Variants}, {"--on", o.selection.On}, {"--stress", o.selection.Stress}} {
		if len(f.values) > 0 {
			words = append(words, f.flag, strings.Join(f.values, ","))
		}
	}
	for _, p := range o.selection.Parameters {
		words = append(words, "--param", p)
	}
	for _, name := range slices.Sorted(maps.Keys(o.run.Images)) {
		words = append(words, "--image", name+"="+o.run.Images[name])
	}
	words = append(words, "-n", fmt.Sprint(j.plan.Iterations), "--seed", fmt.Sprint(j.plan.Seed))
	if o.until.Until != "" {
		words = append(words, "--until", o.until.Until, "--design", o.until.Design)
	}
	if o.until.Tell != "" {
		words = append(words, "--tell", o.until.Tell)
	}
	if len(o.run.Mask) > 0 {
		words = append(words, "--mask", strings.Join(o.run.Mask, ","))
	}
	if o.run.NoMask {
		words = append(words, "--no-mask")
	}
	if o.selection.NoControls {
		words = append(words, "--no-controls")
	}
	if o.run.Jobs > 1 {
		words = append(words, "--jobs", fmt.Sprint(o.run.Jobs))
	}
	return words
}

// open makes the results folder, or goes on with the one that is resumed.
func (j *job) open() error {
	var err error
	if j.opts.run.Resume == "" {
		j.journal, err = journal.Create(j.dir, j.header)
	} else {
		j.journal, _, err = journal.Open(j.dir)
		if err == nil {
			err = j.journal.Note(journal.Note{Kind: journal.NoteResumed, At: time.Now().UTC()})
		}
	}
	if err != nil {
		return journalError(err)
	}
	return nil
}

func (j *job) signalled() bool { return j.signals.signalled() }

func (j *job) unreadyNames() string {
	return strings.Join(slices.Sorted(maps.Keys(j.unready)), ", ")
}

// close lets go of everything the run opened, last first. What fails is said: it may be a leftover.
func (j *job) close() {
	for _, f := range slices.Backward(j.closers) {
		if err := f(); err != nil {
			fmt.Fprintf(j.app.Err, "warning: %v\n", err)
		}
	}
	j.closers = nil
}

func toStrings[T ~string](values []T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}

// randomSeed is a seed that was not chosen; it is small enough to be typed.
func randomSeed() uint64 {
	var b [4]byte
	if _, err := rand.Read(b[:]); err != nil {
		return uint64(time.Now().UnixNano())
	}
	return uint64(binary.BigEndian.Uint32(b[:])) + 1
}
