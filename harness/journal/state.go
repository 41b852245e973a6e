package journal

import (
	"slices"
	"sync"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/harness/plan"
)

// State is what a journal says of every trial of its shard. It is safe for use by several goroutines.
type State struct {
	header Header
	mu     sync.Mutex
	ledger *ledger
	notes  []Note
}

// Progress is how far one trial came.
type Progress struct {
	Attempts int              // started so far; the next one bears this number plus 1
	Running  bool             // the last attempt has no end on record: it runs now, or it is lost
	Result   int              // the attempt that decides: the last that finished and was not broken, else the last; 0 when none started
	Outcome  classify.Outcome // of that attempt; Lost when it has no end on record, 0 when none started
}

// Done reports whether the trial needs no further attempt whatever the policy: its outcome counts, or proves nothing.
// One that is broken, censored or lost may have one.
func (p Progress) Done() bool { return final(p.Outcome) }

// Header is the journal's header.
func (s *State) Header() Header { return s.header }

// Progress says how far a trial of the plan came. A trial of another shard came nowhere.
func (s *State) Progress(t plan.Trial) Progress {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.ledger.peek(t.Index, t.Number)
	if e == nil {
		return Progress{}
	}
	return Progress{Attempts: int(e.last), Running: e.running, Result: int(e.result), Outcome: e.outcome}
}

// Counts says how many trials of a cell (its index in the plan's Cells) have each outcome. Running trials are Lost.
func (s *State) Counts(cell int) Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ledger.tally[cell]
}

// Attempts says how many attempts started, how many of these were broken, and how many have no end on record.
func (s *State) Attempts() (started, broken, unfinished int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ledger.total.started, s.ledger.total.broken, s.ledger.total.started - s.ledger.total.finished
}

// Notes gives the journal's notes in order.
func (s *State) Notes() []Note {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.notes)
}

func (s *State) enter(f func(*ledger) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return f(s.ledger)
}

func (s *State) note(n Note) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notes = append(s.notes, n)
}
