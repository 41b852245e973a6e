// Package journal keeps the record of a campaign: what was asked, what started, how it ended.
//
// It takes records and gives them back after any crash: append, replay, repair, merge. It stands between classify and
// report in the pipeline study → plan → trial → classify → journal → report. It judges nothing and counts nothing.
//
// A journal is a file of JSON lines, one record each, each written by one write(2) and ended by a checksum that runs on
// from line to line. A torn last line is what a crash leaves and is repaired; any other damage is refused with its position.
package journal

import (
	"time"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/harness/plan"
	"github.com/failrate/failrate/harness/trial"
)

// Version is the format's version. A reader refuses any other.
const Version = 1

// Header is the first record: what was asked, and where. Resume and merge compare it.
type Header struct {
	Version    int                    `json:"version"`
	Tool       string                 `json:"tool"`     // failrate's version
	Campaign   string                 `json:"campaign"` // the campaign's id, shared by its shards
	PlanDigest string                 `json:"plan_digest"`
	Plan       plan.Plan              `json:"plan"`
	Rules      string                 `json:"rules"`           // digest of the classification rules
	Shard      string                 `json:"shard,omitempty"` // such as 3/20; empty for the whole plan
	Attempt    int                    `json:"attempt"`         // of a re-run CI job, from 1
	Host       Host                   `json:"host"`
	Platforms  []string               `json:"platforms,omitempty"` // the plan's platforms whose trials this host runs; empty means all
	Design     string                 `json:"design"`              // the stopping design, such as fixed
	Jobs       int                    `json:"jobs"`                // trials at once
	Prepared   map[string]trial.Facts `json:"prepared,omitempty"`  // by variant/platform: tree and image digests
	Created    time.Time              `json:"created"`
	Study      Texts                  `json:"study"`
	Repeat     []string               `json:"repeat,omitempty"` // the command line that repeats the campaign
}

// Texts are what reports say of the study when its folder is not at hand.
type Texts struct {
	Title      string   `json:"title,omitempty"`
	Source     string   `json:"source,omitempty"`
	Conditions string   `json:"conditions,omitempty"`
	Exposure   float64  `json:"exposure,omitempty"`
	Classes    []string `json:"classes,omitempty"` // in the rules' order
	Warnings   []string `json:"warnings,omitempty"`
	Claims     Claims   `json:"claims"`
}

// Claims are the study's claims, as shares 0..1.
type Claims struct {
	Tolerate   float64 `json:"tolerate"`
	Margin     float64 `json:"margin"`
	Confidence float64 `json:"confidence"`
}

// Host is the machine that a journal was written on.
type Host struct {
	Name     string            `json:"name"` // a hash of the host's name unless the user gives one
	OS       string            `json:"os"`   // GOOS
	Arch     string            `json:"arch"` // GOARCH
	Kernel   string            `json:"kernel,omitempty"`
	CPU      string            `json:"cpu,omitempty"`    // the model
	Cores    int               `json:"cores"`            // that this process may use
	Memory   int64             `json:"memory,omitempty"` // bytes
	Engine   string            `json:"engine,omitempty"` // Docker Engine version; empty when none answered
	Facts    map[string]string `json:"facts,omitempty"`
	BootedAt string            `json:"boot,omitempty"` // the boot id
}

// Started says that an attempt is about to run.
type Started struct {
	ID      string    `json:"id"` // of the attempt
	Started time.Time `json:"at"`
}

// Finished says how an attempt ended: the facts, then the judgement with its rules.
type Finished struct {
	ID          string             `json:"id"`
	Observation trial.Observation  `json:"observation"`
	Judgement   classify.Judgement `json:"judgement"`
}

// The kinds of notes that readers know. Writers may use others.
const (
	NoteInterrupted = "interrupted" // a signal ended the campaign before its end
	NoteResumed     = "resumed"
	NoteLook        = "look"    // a sequential design looked at the counts
	NoteStopped     = "stopped" // the design needs no further trials: what is planned and was not run is not missing
	NoteGaveUp      = "gave-up" // too many trials could not be run
)

// Note is anything else worth a line: an interruption, a look of a sequential design, a resumption.
type Note struct {
	Kind string            `json:"kind"` // one of the constants, or another word
	Text string            `json:"text,omitempty"`
	Data map[string]string `json:"data,omitempty"`
	At   time.Time         `json:"at"`
}
