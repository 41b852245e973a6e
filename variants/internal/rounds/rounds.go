// Package rounds is a subject's side of the contract with failrate: where it runs, and the record it leaves.
//
// It takes the environment that failrate sets for a trial and the rounds that the subject measured; it gives one JSON
// line for each round in the records file, and a tally for people. It never judges a round. Without failrate there is
// no environment: then nothing is written and the tally is all there is.
package rounds

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
)

// Outcome is how a round ended.
type Outcome string

// The outcomes of a round.
const (
	Pass   Outcome = "pass"
	Fail   Outcome = "fail"
	Broken Outcome = "broken" // the round could not be run: it says nothing about the subject
)

// Round is one measurement. The names are those of failrate's records.
type Round struct {
	Outcome  Outcome            `json:"outcome"`
	Class    string             `json:"class,omitempty"`    // of a fail
	Message  string             `json:"message,omitempty"`  // why it failed or is broken
	Evidence []string           `json:"evidence,omitempty"` // names of what was seen
	Metrics  map[string]float64 `json:"metrics,omitempty"`
	Facts    map[string]string  `json:"facts,omitempty"` // of the surroundings; a Recorder adds its own to the first round
}

// Place is where a subject runs, as failrate says.
type Place struct {
	Trial   string // the trial's id; empty outside failrate
	Seed    string // of the trial's block
	Records string // file for records; empty means none
	Burst   string // file to announce a burst of load with; empty means none
}

// PlaceFrom reads the place from the environment; getenv is usually os.Getenv.
func PlaceFrom(getenv func(string) string) Place {
	return Place{
		Trial:   getenv("FAILRATE_TRIAL"),
		Seed:    getenv("FAILRATE_SEED"),
		Records: getenv("FAILRATE_RECORDS"),
		Burst:   getenv("FAILRATE_BURST"),
	}
}

// Recorder appends records and keeps the tally. It has one user at a time. Create it with NewRecorder.
type Recorder struct {
	Tally Tally

	file  *os.File          // nil when there is nothing to write to
	facts map[string]string // to go with the next round
}

// NewRecorder opens the records file for appending; an empty path gives a Recorder that only tallies. The facts, such
// as gomaxprocs, go into the first record.
func NewRecorder(path string, facts map[string]string) (*Recorder, error) {
	if path == "" {
		return &Recorder{}, nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the records: %w", err)
	}
	return &Recorder{file: f, facts: facts}, nil
}

// Add records one round: one line, one write, so that a killed subject leaves whole lines.
func (r *Recorder) Add(round Round) error {
	r.Tally.add(round)
	if r.file == nil {
		return nil
	}
	if r.facts != nil && round.Facts == nil {
		round.Facts, r.facts = r.facts, nil
	}
	line, err := json.Marshal(round)
	if err != nil {
		return fmt.Errorf("write a record: %w", err)
	}
	_, err = r.file.Write(append(line, '\n'))
	return err
}

// Close closes the records file.
func (r *Recorder) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

// Tally counts rounds.
type Tally struct {
	Outcomes map[Outcome]int
	Classes  map[string]int
	Evidence map[string]int
	Broken   map[string]int // broken rounds by message
	values   map[string][]float64
}

// Rounds is how many rounds were added, broken ones too.
func (t *Tally) Rounds() int {
	n := 0
	for _, k := range t.Outcomes {
		n += k
	}
	return n
}

func (t *Tally) add(r Round) {
	if t.Outcomes == nil {
		*t = Tally{map[Outcome]int{}, map[string]int{}, map[string]int{}, map[string]int{}, map[string][]float64{}}
	}
	t.Outcomes[r.Outcome]++
	if r.Class != "" {
		t.Classes[r.Class]++
	}
	if r.Outcome == Broken {
		t.Broken[r.Message]++
	}
	for _, name := range r.Evidence {
		t.Evidence[name]++
	}
	for name, v := range r.Metrics {
		t.values[name] = append(t.values[name], v)
	}
}

// Metrics lists the names of the metrics that were seen, sorted.
func (t *Tally) Metrics() []string { return slices.Sorted(maps.Keys(t.values)) }

// Quantile is the value of a metric that a share of its rounds do not exceed (nearest rank); 0 when it was never seen.
func (t *Tally) Quantile(metric string, share float64) float64 {
	v := slices.Sorted(slices.Values(t.values[metric]))
	if len(v) == 0 {
		return 0
	}
	return v[min(len(v)-1, int(share*float64(len(v))))]
}

// Sum adds up a metric over all rounds.
func (t *Tally) Sum(metric string) float64 {
	sum := 0.0
	for _, v := range t.values[metric] {
		sum += v
	}
	return sum
}
