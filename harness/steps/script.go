// Package steps is the language of a subject without a script: a list of HTTP requests, waits and actions on services.
//
// It stands at the bottom of the pipeline study → plan → trial → classify → journal → report: study reads a Script from
// study.yaml, and the trial's process runs it, natively or in a container, like any other subject. It takes a Script and
// the environment and gives a log, one record with metrics and evidence, and an exit status. It never reads study.yaml,
// starts no service and judges nothing: classes are the study's. It imports the standard library alone, because it is
// compiled into the program that runs inside containers, which an image without anything else has to be able to run.
package steps

import (
	"encoding/json"
	"fmt"
	"time"
)

// Script is the steps of one trial, in order. The first step that fails ends it, unless that step says to go on.
type Script struct {
	Steps []Step `json:"steps"`
}

// Step is one of: a request (Method), a wait, a comparison, an action on services. Texts hold {name} of a parameter, of
// a service or of a saved value, and ${NAME} of an environment variable; both are filled in when the step runs.
type Step struct {
	Name   string `json:"name,omitempty"`   // of its mark and its metric; empty for a step without either
	Source string `json:"source,omitempty"` // study.yaml:line:col, for the log

	Method   string            `json:"method,omitempty"` // GET, POST, …; empty for a step that is no request
	URL      string            `json:"url,omitempty"`
	Headers  map[string]string `json:"headers,omitempty"`
	Body     string            `json:"body,omitempty"`
	BodyFile string            `json:"body_file,omitempty"` // path in the subject's tree, instead of Body

	Status []int             `json:"status,omitempty"` // that are expected; none means 200 to 299
	Match  string            `json:"match,omitempty"`  // RE2 that the answer's body must match; empty means any body
	JSON   map[string]string `json:"json,omitempty"`   // JSON pointer into the answer → the text of the expected value
	Save   map[string]string `json:"save,omitempty"`   // name → JSON pointer into the answer

	Within  time.Duration `json:"within,omitempty"`  // ask again until the answer is as expected, for this long; 0 means once
	Every   time.Duration `json:"every,omitempty"`   // between two tries; 0 means DefaultEvery
	Timeout time.Duration `json:"timeout,omitempty"` // of one request; 0 means DefaultTimeout
	Repeat  int           `json:"repeat,omitempty"`  // ask so many times, each answer as expected; 0 means once

	Metric  string  `json:"metric,omitempty"`  // name of the milliseconds from the step's begin to its success; empty means Name_ms
	Class   string  `json:"class,omitempty"`   // of the failure when no rule of Classes matches; empty leaves it to the study, and makes an action that is not done broken
	Classes []Class `json:"classes,omitempty"` // ordered, first match wins
	GoOn    bool    `json:"go_on,omitempty"`   // the steps after it run though it failed; the trial has failed all the same
	// Optional makes it a look: that it failed is no failure of the trial, and the steps after it run. It only has no mark.
	Optional bool `json:"optional,omitempty"`

	Wait   string   `json:"wait,omitempty"`   // a duration
	Same   []string `json:"same,omitempty"`   // texts that must all be equal
	Differ []string `json:"differ,omitempty"` // texts of which no two may be equal

	Action   Action   `json:"action,omitempty"`
	Services []string `json:"services,omitempty"` // names, for Action

	Only   []string `json:"only,omitempty"`   // variants that run the step; none means all
	Except []string `json:"except,omitempty"` // variants that leave it out
	After  []string `json:"after,omitempty"`  // names of earlier steps: it is left out unless all of them succeeded
	Unless []string `json:"unless,omitempty"` // names of earlier steps: it is left out if one of them succeeded
}

// Class names the failure of a step by its last answer.
type Class struct {
	Class  string   `json:"class"`
	Status []int    `json:"status,omitempty"` // none means any, and no answer at all
	Match  string   `json:"match,omitempty"`  // RE2 searched for in the body, or in the error when there was no answer
	After  []string `json:"after,omitempty"`  // names of earlier steps that must all have succeeded
}

// Action is what a step does to services.
type Action string

// The actions.
const (
	Cut    Action = "cut"    // off the network: nothing gets to it or from it
	Heal   Action = "heal"   // back on the network
	Pause  Action = "pause"  // stopped where it stands, its connections open
	Resume Action = "resume" // go on after a pause
	Kill   Action = "kill"   // ended at once, by KILL
	Stop   Action = "stop"   // asked to end, by TERM
	Start  Action = "start"  // started again after kill or stop, and ready
)

// Actions lists every action.
func Actions() []Action { return []Action{Cut, Heal, Pause, Resume, Kill, Stop, Start} }

// The defaults of a step.
const (
	DefaultEvery   = 100 * time.Millisecond
	DefaultTimeout = 30 * time.Second
)

// MaxScript bounds an encoded script, in bytes: it travels in an environment variable.
const MaxScript = 96 << 10

// The bounds of what a record can report.
const (
	MaxMetrics    = 32 // names
	MaxMetricName = 64 // bytes
)

// Variable is the environment variable that carries the script to the process that runs it.
const Variable = "FAILRATE_STEPS"

// Argument is the first argument that makes a program with this package run the script in Variable.
const Argument = "__steps"

// For gives the script without the steps that the variant leaves out.
func (s Script) For(variant string) Script {
	var out Script
	for _, step := range s.Steps {
		if step.runs(variant) {
			step.Only, step.Except = nil, nil
			out.Steps = append(out.Steps, step)
		}
	}
	return out
}

func (s Step) runs(variant string) bool {
	for _, v := range s.Except {
		if v == variant {
			return false
		}
	}
	for _, v := range s.Only {
		if v == variant {
			return true
		}
	}
	return len(s.Only) == 0
}

// Encode gives the text for Variable.
func (s Script) Encode() (string, error) {
	b, err := json.Marshal(s)
	if err != nil {
		return "", fmt.Errorf("encode the steps: %w", err)
	}
	if len(b) > MaxScript {
		return "", fmt.Errorf("the steps are %d bytes, above the limit of %d: put large bodies into files (body-file)", len(b), MaxScript)
	}
	return string(b), nil
}

// Decode reads what Encode gave.
func Decode(text string) (Script, error) {
	var s Script
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return s, fmt.Errorf("read the steps: %w", err)
	}
	return s, nil
}

// MetricName is the metric that the step reports; empty for a step without one.
func (s Step) MetricName() string {
	switch {
	case s.Metric != "":
		return s.Metric
	case s.Name != "" && s.Method != "":
		return s.Name + "_ms"
	}
	return ""
}
