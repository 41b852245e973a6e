package journal

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/harness/trial"
)

// Kind is what a record is.
type Kind uint8

// The kinds of records.
const (
	KindHeader   Kind = iota + 1 // the first record, and no other
	KindStarted                  // an attempt is about to run
	KindFinished                 // it ended
	KindNote                     // anything else
)

// Record is one record in the form that counting needs. It and all it holds are the reader's: they are good until the
// function that was given it returns. Strings may be kept.
type Record struct {
	Kind   Kind
	Line   int64 // from 1
	Offset int64 // of the line's first byte

	// Of started and finished records.
	Cell    int // index into the plan's Cells
	Number  int // of the trial in its cell
	Attempt int
	At      time.Time // of a started record, and of a finished one when the executor noted it: when the attempt began

	// Of finished records. What is not here is in Finished.
	Outcome  classify.Outcome
	Class    string
	Wall     time.Duration
	Rounds   *classify.Rounds // nil when the subject reported none
	Metrics  []Metric         // sorted by name
	Facts    []Fact           // of the platform, sorted by name
	Reported []Fact           // by the subject of itself, sorted by name
	Load     *trial.Load      // nil when there was none
	Detail   *Detail          // of Merged.EachInFull; nil elsewhere

	raw    []byte // the line without its newline
	rounds classify.Rounds
	load   load
	detail Detail
}

// Metric is one number that the subject reported.
type Metric struct {
	Name  string
	Value float64
}

// Fact is one named value.
type Fact struct{ Name, Value string }

// Finished decodes a finished record in full. What it gives may be kept.
func (r *Record) Finished() (Finished, error) {
	var out Finished
	return out, r.decode(KindFinished, &out)
}

// Started decodes a started record in full. What it gives may be kept.
func (r *Record) Started() (Started, error) {
	var out Started
	return out, r.decode(KindStarted, &out)
}

// Note decodes a note. What it gives may be kept.
func (r *Record) Note() (Note, error) {
	var out Note
	return out, r.decode(KindNote, &out)
}

// decode reads the whole line. encoding/json ignores the members that out lacks, such as type and crc.
func (r *Record) decode(kind Kind, out any) error {
	if r.Kind != kind {
		return fmt.Errorf("line %d: the record is of kind %d, not %d", r.Line, r.Kind, kind)
	}
	if err := json.Unmarshal(r.raw, out); err != nil {
		return fmt.Errorf("line %d: %w", r.Line, err)
	}
	return nil
}
