// Package campaign is the loop: next trial → execute → classify → journal, until the plan is done or a rule stops it.
//
// It takes a plan, executors and a journal, and gives a Summary; whatever was measured is in the journal before the
// next trial starts. It stands over the pipeline study → plan → trial → classify → journal → report: it decides when
// something runs, never what an outcome is or what a rate means.
package campaign

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/harness/journal"
	"github.com/failrate/failrate/harness/mask"
	"github.com/failrate/failrate/harness/plan"
	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
)

// Recorder keeps the record; a failed append stops the campaign.
type Recorder interface {
	Start(journal.Started) error
	Finish(journal.Finished) error
	Note(journal.Note) error
}

// Looker decides after whole blocks whether the campaign, or a cell, has run long enough. It sees outcomes in the
// order in which trials were planned, and only after every trial of the blocks before has ended.
type Looker interface {
	// Add takes the final outcome of a trial.
	Add(t plan.Trial, j classify.Judgement)
	// Look is called after the last trial of a block when no trial is running.
	Look(b plan.Block) Decision
}

// Judge gives the outcome of an attempt; *classify.Rules is one.
type Judge interface {
	Judge(variant string, obs trial.Observation, in classify.Input) classify.Judgement
}

// Decision is what a look gives. The zero value goes on.
type Decision struct {
	Stop   bool
	Drop   []string // ids of cells that are decided: their further trials are not run
	Reason string   // for people, one line
	Data   map[string]string
}

// Config is one campaign, or one shard of it.
type Config struct {
	Study     *study.Study
	Plan      *plan.Plan
	Shard     plan.Shard
	Skip      []study.Platform // platforms of the plan that this machine does not run
	Executors map[study.Platform]trial.Executor
	Unready   map[string]string // by variant/platform: why its subject could not be prepared; its trials are broken
	Rules     Judge
	Recorder  Recorder
	Past      Past       // what a resumed campaign has already; nil for a new one
	Files     Files      // where outputs go
	Mask      *mask.Mask // hides secrets in what is kept of a trial, once it is judged; nil hides nothing
	Looker    Looker     // nil means a fixed number of trials
	Observer  Observer   // nil means nobody watches
	Jobs      int        // trials at once; 0 means 1
	Budget    time.Duration
	BaseEnv   map[study.Platform][]string // NAME=value that the platform's trials inherit
	Steps     map[study.Platform][]string // command that runs the script in its environment, for a subject of steps
	Drain     <-chan struct{}             // closed: start nothing further, let what runs end
	Now       func() time.Time            // nil means time.Now
}

// Past is what the journal of a resumed campaign says. Trials that are settled are not run again.
type Past interface {
	// Settled gives the judgement of a trial that needs no further attempt.
	Settled(trialID string) (classify.Judgement, bool)
	// Attempts is how many attempts of a trial are on record, whatever became of them.
	Attempts(trialID string) int
}

// Stop says why a campaign ended before its plan did. The zero value means that it did not.
type Stop string

// The ways in which a campaign stops early.
const (
	StopDrained  Stop = "interrupted"     // Drain was closed or ctx ended
	StopBudget   Stop = "budget spent"    // Budget passed
	StopBroken   Stop = "too many broken" // the study's share of broken attempts was passed
	StopDecided  Stop = "decided"         // the Looker said so; such a campaign is complete
	StopRecorder Stop = "record failed"   // the journal could not be written
)

// note is the kind of the note that puts the stop on record.
func (s Stop) note() string {
	switch s {
	case StopDecided:
		return journal.NoteStopped
	case StopBroken:
		return journal.NoteGaveUp
	case StopDrained, StopBudget, StopRecorder:
		return journal.NoteInterrupted
	}
	return journal.NoteInterrupted
}

// Summary is how the campaign ended.
type Summary struct {
	Stop     Stop
	Reason   string // for people, one line; empty when complete
	Planned  int    // trials of this shard
	Settled  int    // of these, with a final outcome on record, earlier runs included
	Controls []ControlResult
}

// Complete reports whether nothing is left to run.
func (s Summary) Complete() bool { return s.Stop == StopDecided || s.Stop == "" }

// errStop ends the loop; the runner's stop and reason say why.
var errStop = errors.New("stopped")

// Run runs the shard's blocks in order. It returns an error only when the harness itself failed (the journal could not
// be written): a measured failure is not an error, and neither is a stop.
func Run(ctx context.Context, cfg Config) (Summary, error) {
	r := newRunner(cfg)
	err := r.run(ctx)
	sum := r.summary()
	if err != nil {
		return sum, err
	}
	if sum.Stop != "" {
		note := journal.Note{Kind: sum.Stop.note(), Text: sum.Reason, Data: map[string]string{"stop": string(sum.Stop)}, At: cfg.now()}
		if err := cfg.Recorder.Note(note); err != nil {
			return sum, fmt.Errorf("campaign: note the stop: %w", err)
		}
	}
	return sum, nil
}

func (c Config) now() time.Time {
	if c.Now != nil {
		return c.Now()
	}
	return time.Now()
}

func (c Config) jobs() int { return max(1, c.Jobs) }
