package journal

import (
	"fmt"
	"math"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/harness/plan"
)

// ledger is what is known of every trial of a shard: 16 bytes each. It also keeps the order of things: an attempt
// starts before it finishes and finishes once, the next one comes after, and none comes after one that counts.
type ledger struct {
	index *plan.Index
	shard plan.Shard
	cells [][][]entry // by cell, then in pages that are made when a trial of theirs comes up
	tally []Counts    // by cell
	total totals
}

// totals count attempts over all cells.
type totals struct{ started, finished, broken int }

// Counts is how many trials have each outcome, indexed by outcome. Trials that run, or whose harness died, are Lost.
type Counts [classify.Lost + 1]int

// page is how many trials are made room for at once: a plan from a file may promise millions and hold none.
const page = 4096

// entry is one trial.
type entry struct {
	at      int64 // where the record is that decides: offset of its line
	last    uint16
	result  uint16 // the attempt that decides; 0 when none started
	outcome classify.Outcome
	running bool // the last attempt started and did not finish
}

func newLedger(index *plan.Index, shard plan.Shard) *ledger {
	return &ledger{index: index, shard: shard, cells: make([][][]entry, index.Cells()), tally: make([]Counts, index.Cells())}
}

// peek finds a trial that the plan holds; nil when the shard does not hold it, or nothing is on record around it.
func (l *ledger) peek(cell, number int) *entry {
	if !l.shard.Has(number) || l.cells[cell] == nil {
		return nil
	}
	rank := l.index.Rank(cell, number, l.shard)
	if l.cells[cell][rank/page] == nil {
		return nil
	}
	return &l.cells[cell][rank/page][rank%page]
}

// entry is peek with room made for the trial; nil when the shard does not hold it.
func (l *ledger) entry(cell, number int) *entry {
	if !l.shard.Has(number) {
		return nil
	}
	count := l.index.Count(cell, l.shard)
	if l.cells[cell] == nil {
		l.cells[cell] = make([][]entry, (count+page-1)/page)
	}
	rank := l.index.Rank(cell, number, l.shard)
	if at := rank / page; l.cells[cell][at] == nil {
		l.cells[cell][at] = make([]entry, min(page, count-at*page))
	}
	return l.peek(cell, number)
}

// start says whether an attempt may start, and notes it when at is not negative.
func (l *ledger) start(cell, number, attempt int, at int64) error {
	e := l.entry(cell, number)
	if e == nil {
		return fmt.Errorf("the trial is not of shard %s", l.shard)
	}
	if attempt != int(e.last)+1 || attempt > math.MaxUint16 {
		return fmt.Errorf("attempt %d starts after attempt %d", attempt, e.last)
	}
	if final(e.outcome) {
		return fmt.Errorf("attempt %d starts although attempt %d ended in %s", attempt, e.result, e.outcome)
	}
	if at < 0 {
		return nil
	}
	l.total.started++
	e.last, e.running = uint16(attempt), true
	if e.outcome != classify.Censored {
		l.decide(cell, e, classify.Lost, at)
	}
	return nil
}

// finish says whether an attempt may finish, and notes it when at is not negative.
func (l *ledger) finish(cell, number, attempt int, outcome classify.Outcome, at int64) error {
	e := l.entry(cell, number)
	if e == nil {
		return fmt.Errorf("the trial is not of shard %s", l.shard)
	}
	if !e.running || attempt != int(e.last) {
		return fmt.Errorf("attempt %d finishes and is not running", attempt)
	}
	if outcome == classify.Lost || outcome == 0 {
		return fmt.Errorf("an attempt that finishes cannot be %s", outcome)
	}
	if at < 0 {
		return nil
	}
	e.running = false
	l.total.finished++
	if outcome == classify.Broken {
		l.total.broken++
	}
	if outcome != classify.Broken || e.outcome != classify.Censored {
		l.decide(cell, e, outcome, at)
	}
	return nil
}

// decide makes the last attempt the one that decides.
func (l *ledger) decide(cell int, e *entry, outcome classify.Outcome, at int64) {
	if e.outcome != 0 {
		l.tally[cell][e.outcome]--
	}
	l.tally[cell][outcome]++
	e.result, e.outcome, e.at = e.last, outcome, at
}

// final reports whether a trial with this outcome is done whatever happens: a further attempt would be a second chance.
func final(o classify.Outcome) bool {
	switch o {
	case classify.Pass, classify.Fail, classify.Timeout, classify.Unexercised:
		return true
	case classify.Broken, classify.Censored, classify.Lost:
		return false
	}
	return false
}
