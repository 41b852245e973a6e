package campaign

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/harness/journal"
	"github.com/failrate/failrate/harness/plan"
	"github.com/failrate/failrate/harness/trial"
)

// runner owns the campaign's mutable state. Its workers run attempts and hand their judgements to settle.
type runner struct {
	cfg      Config
	deadline time.Time // zero means no budget

	group  *errgroup.Group
	level  string // stress level of the trials that are running
	loads  loads
	places places
	forms  forms

	pending pending

	mu      sync.Mutex // guards everything below
	stop    Stop
	reason  string
	failed  error // of the recorder: the first one
	planned int
	settled int
	broken  brokenShare
	control map[string]*tally
	dropped map[string]bool
}

func newRunner(cfg Config) *runner {
	r := &runner{cfg: cfg, places: places{files: cfg.Files}, forms: forms{made: map[int]trial.Request{}}, control: map[string]*tally{}, dropped: map[string]bool{}}
	r.broken = brokenShare{atMost: cfg.Study.Broken.AtMost}
	for b := range r.blocks() {
		r.planned += len(b.Trials)
	}
	if cfg.Budget > 0 {
		r.deadline = cfg.now().Add(cfg.Budget)
	}
	return r
}

// blocks are those that this machine runs.
func (r *runner) blocks() iter.Seq[plan.Block] {
	return func(yield func(plan.Block) bool) {
		for b := range r.cfg.Plan.Blocks(r.cfg.Shard) {
			if slices.Contains(r.cfg.Skip, r.cfg.Plan.Strata[b.Stratum].Platform) {
				continue
			}
			if !yield(b) {
				return
			}
		}
	}
}

// run goes through the blocks. Trials of one block and of the next run side by side as far as Jobs allows; everything
// waits for what runs when the stress level or the phase changes, and at a look.
func (r *runner) run(ctx context.Context) error {
	defer r.loads.release()
	r.open(ctx)
	var last *plan.Block
	for b := range r.blocks() {
		level := r.cfg.Plan.Strata[b.Stratum].Stress
		if last != nil && (last.Phase != b.Phase || level != r.level || r.cfg.Looker != nil) {
			if err := r.barrier(ctx); err != nil {
				return r.ended(err)
			}
		}
		if level != r.level {
			r.loads.release()
		}
		r.level = level
		if err := r.block(ctx, b); err != nil {
			return r.ended(errors.Join(err, r.group.Wait()))
		}
		if err := r.look(ctx, b); err != nil {
			return r.ended(errors.Join(err, r.group.Wait()))
		}
		last = &b
	}
	return r.ended(r.group.Wait())
}

// open starts a new group of workers.
func (r *runner) open(ctx context.Context) {
	r.group = &errgroup.Group{}
	r.group.SetLimit(r.cfg.jobs())
}

// barrier waits for every running trial.
func (r *runner) barrier(ctx context.Context) error {
	err := r.group.Wait()
	r.open(ctx)
	return err
}

// ended turns the error that unwinds the loop into what Run returns: the recorder's first one, or one of ours.
func (r *runner) ended(err error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed != nil {
		return fmt.Errorf("campaign: %w", r.failed)
	}
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}

// block hands the block's trials to the workers, in order.
func (r *runner) block(ctx context.Context, b plan.Block) error {
	r.pending.begin(blockOf(b)) // until all of its trials were handed over
	defer r.leave(ctx, b)
	for _, t := range b.Trials {
		if r.skip(t) {
			continue
		}
		if err := r.mayStart(ctx); err != nil {
			return err
		}
		if r.cfg.jobs() == 1 { // one at a time needs nobody else: each hand-over costs a short trial dear
			if err := r.trial(ctx, b, t); err != nil {
				return err
			}
			continue
		}
		r.pending.begin(blockOf(b))
		r.group.Go(func() error {
			defer r.leave(ctx, b)
			return r.trial(ctx, b, t)
		})
	}
	return nil
}

// skip reports whether a trial needs no run: it is settled already, or its cell is decided.
func (r *runner) skip(t plan.Trial) bool {
	if r.cfg.Past != nil {
		if j, ok := r.cfg.Past.Settled(t.ID); ok {
			r.settle(t, j)
			return true
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.dropped[t.Cell.ID()]
}

// mayStart gives errStop, with the reason kept, when no further trial may start.
func (r *runner) mayStart(ctx context.Context) error {
	select {
	case <-r.cfg.Drain:
		return r.halt(StopDrained, "interrupted: what ran was let end and is on record")
	case <-ctx.Done():
		return r.halt(StopDrained, "interrupted: what ran was ended and does not count")
	default:
	}
	if !r.deadline.IsZero() && !r.cfg.now().Before(r.deadline) {
		return r.halt(StopBudget, fmt.Sprintf("the budget of %s is spent", r.cfg.Budget))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stop != "" {
		return errStop
	}
	return nil
}

// halt keeps the first reason to stop.
func (r *runner) halt(stop Stop, reason string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stop == "" || stop == StopRecorder {
		r.stop, r.reason = stop, reason
	}
	return errStop
}

// look lets the Looker decide, when there is one and this shard's block is whole.
func (r *runner) look(ctx context.Context, b plan.Block) error {
	if r.cfg.Looker == nil || b.Phase != plan.Main {
		return nil
	}
	if err := r.barrier(ctx); err != nil {
		return err
	}
	d := r.cfg.Looker.Look(b)
	if d.Reason != "" || d.Stop || len(d.Drop) > 0 {
		note := journal.Note{Kind: journal.NoteLook, Text: d.Reason, Data: d.Data, At: r.cfg.now()}
		if err := r.cfg.Recorder.Note(note); err != nil {
			return r.recordFailed(err)
		}
	}
	r.mu.Lock()
	for _, cell := range d.Drop {
		r.dropped[cell] = true
	}
	r.mu.Unlock()
	if d.Stop {
		return r.halt(StopDecided, d.Reason)
	}
	return nil
}

// recordFailed stops the campaign, as what cannot be recorded must not be measured.
func (r *runner) recordFailed(err error) error {
	r.mu.Lock()
	if r.failed == nil {
		r.failed = err
	}
	r.mu.Unlock()
	return r.halt(StopRecorder, err.Error())
}

// settle takes the final judgement of a trial into the counts.
func (r *runner) settle(t plan.Trial, j classify.Judgement) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.settled++
	if t.Cell.Control {
		r.tallyFor(t.Cell).add(j)
	}
	if r.cfg.Looker != nil {
		r.cfg.Looker.Add(t, j)
	}
	r.observe(Event{Kind: TrialSettled, Trial: t, Judgement: j})
}

func (r *runner) summary() Summary {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Summary{Stop: r.stop, Reason: r.reason, Planned: r.planned, Settled: r.settled, Controls: r.controlResults()}
}
