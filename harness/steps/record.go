package steps

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// The outcomes of a record.
const (
	Passed = "pass"
	Failed = "fail"
	Broken = "broken" // nothing was measured: the script, the machine or the harness is at fault
)

// Record is what a script reports of itself: one line of the records file.
type Record struct {
	Outcome  string             `json:"outcome"`
	Class    string             `json:"class,omitempty"`    // of the first step that failed; empty leaves it to the study
	Message  string             `json:"message,omitempty"`  // what the first step that failed, or the one that broke, has to say
	Evidence []string           `json:"evidence,omitempty"` // names of the steps that succeeded, in order
	Metrics  map[string]float64 `json:"metrics,omitempty"`  // milliseconds from a step's begin to its success
}

// append adds the record to a records file.
func (r Record) append(path string) error {
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode the record: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("write the record: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}
