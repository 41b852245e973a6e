package reports

import (
	"iter"
	"time"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/harness/journal"
	"github.com/failrate/failrate/harness/plan"
)

// Trials walks the trials behind a table, each by its deciding attempt: campaign by campaign, in the plan's order. It may
// be called again. It stops at the first error of f and gives it.
type Trials func(f func(*Trial) error) error

// Trial is one trial in a stream. It is good until the function that was given it returns.
type Trial struct {
	ID       string // of the trial, such as leaders-only/container/cpu-2x#0042
	Attempt  string // id of the attempt that decides
	Attempts int    // on record
	Cell     plan.Cell
	Baseline bool
	OS, Arch string
	Source   int // index into Table.Sources
	Phase    plan.Phase
	Number   int // of its block
	Started  time.Time
	Outcome  classify.Outcome
	Class    string
	Wall     time.Duration
	Rounds   *classify.Rounds // nil when the subject reported none
	Metrics  []journal.Metric // sorted by name
	Cores    *float64         // of stress achieved; nil when not measured
	Busy     *float64         // share of the whole machine; nil when not measured

	journal.Detail // of the deciding attempt; all zero when it has no end on record
}

// why is the reason for an outcome in one line, whatever the outcome.
func (t *Trial) why() string {
	switch {
	case t.Reason != "":
		return t.Reason
	case t.Outcome == classify.Lost:
		return "started, and no end is on record"
	}
	return t.Outcome.String()
}

// logFile is where the log of an attempt is in its results folder, when it was kept.
func logFile(attempt string) string { return "logs/" + plan.FileName(attempt) + ".log.gz" }

// trials streams merged journals; first is the index of their first Source in the table.
func (r *campaignRun) trials(first int, f func(*Trial) error) error {
	cells := r.merged.Header.Plan.Cells()
	ids := make([]string, len(cells))
	for i, c := range cells {
		ids[i] = c.ID()
	}
	baseline := r.merged.Header.Plan.Baseline
	var t Trial
	return r.merged.EachInFull(func(m *journal.Trial) error {
		c := cells[m.Cell]
		host := r.merged.Journals[m.Journal].Header.Host
		t = Trial{
			ID: plan.TrialID(ids[m.Cell], m.Number), Attempts: m.Attempts, Cell: c, Baseline: c.Variant == baseline,
			OS: systemOf(c, host.OS), Arch: host.Arch, Source: first + m.Journal, Phase: m.Phase, Number: m.Number, Started: m.At,
			Outcome: m.Outcome, Class: m.Class, Wall: m.Wall, Rounds: m.Rounds,
			Metrics: m.Metrics,
		}
		if m.Load != nil {
			t.Cores, t.Busy = m.Load.Cores, m.Load.Busy
		}
		if m.Detail != nil {
			t.Detail = *m.Detail
		}
		t.Attempt = plan.AttemptID(t.ID, m.Record.Attempt)
		return f(&t)
	})
}

// systemOf is the operating system that a cell's subject runs on: a container's is Linux wherever the engine is.
func systemOf(c plan.Cell, host string) string {
	if c.Platform == "container" {
		return "linux"
	}
	return host
}

// cellsOf walks the cells of a table with their strata.
func (t *Table) cellsOf() iter.Seq2[*Stratum, *Cell] {
	return func(yield func(*Stratum, *Cell) bool) {
		for i := range t.Strata {
			for k := range t.Strata[i].Cells {
				if !yield(&t.Strata[i], &t.Strata[i].Cells[k]) {
					return
				}
			}
		}
	}
}
