package campaign

import (
	"time"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/harness/plan"
)

// EventKind says what happened.
type EventKind string

// The kinds of event.
const (
	AttemptStarted  EventKind = "attempt-started"
	AttemptFinished EventKind = "attempt-finished" // on record; may be retried
	TrialSettled    EventKind = "trial-settled"    // its outcome is final; also once for each trial of an earlier run
)

// Event is one step of a campaign, for progress.
type Event struct {
	Kind      EventKind
	Trial     plan.Trial
	Attempt   int
	Judgement classify.Judgement
	Wall      time.Duration
}

// Observer sees events, one at a time. It must not block for long: the campaign waits for it.
type Observer interface{ Observe(Event) }

// announce tells the observer; it takes the lock, so that events come one at a time.
func (r *runner) announce(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.observe(e)
}

// observe tells the observer; the caller holds the lock.
func (r *runner) observe(e Event) {
	if r.cfg.Observer != nil {
		r.cfg.Observer.Observe(e)
	}
}
