// Package study turns a study.yaml into a validated Study: the question a campaign answers.
//
// It is the first step of the pipeline study → plan → trial → classify → journal → report.
// It takes bytes and gives a Study whose every field is in range and whose every reference resolves,
// or all the errors at once, each with file:line:col. Nothing runs here: no command, no network, no clone.
package study

import (
	"fmt"
	"time"

	"github.com/failrate/failrate/harness/steps"
)

// Study is one question: which variants of a subject fail how often, on which platforms, under which stress.
// A Study that Load returned is complete (defaults filled in) and is not changed afterwards.
type Study struct {
	Name       string  // lower-case letters, digits and hyphens; the folder's name
	Title      string  // one line for people; empty means Name
	Source     string  // where the question came from, usually a URL; may be empty
	Conditions string  // printed under every table; may be empty
	Exposure   float64 // share of real runs in which the forced condition occurs, in (0, 1]; 0 means not stated
	Dir        string  // absolute folder that holds study.yaml and its files; for an inline study the working directory

	Subject    Subject
	Baseline   string      // name of one of Variants
	Variants   []Variant   // in file order, at least one, the baseline among them
	Controls   []Control   // in file order, may be empty; run before the variants and again after them
	Platforms  []Platform  // at least one, no repeats
	Stress     []Stress    // at least one, in file order
	Parameters []Parameter // in file order, may be empty
	Iterations int         // trials per cell, at least 1
	Classes    []Class     // ordered, first match wins
	Evidence   []Evidence
	Claims     Claims
	Broken     BrokenPolicy
	Keep       Keep // which trials' full logs are kept

	// Warnings are findings that do not stop a campaign, such as two variants that are identical.
	Warnings []string
}

// Platform is where a trial runs.
type Platform string

// The platforms.
const (
	Container Platform = "container" // a Linux container of the local Docker Engine
	Native    Platform = "native"    // this host's own operating system
)

// Subject is what is run.
type Subject struct {
	Git       *Git              // clone this repository; nil when the tree is a folder
	Dir       string            // absolute folder of the tree; empty with Git; defaults to Study.Dir
	Compile   []string          // command run on the host once per variant and target, output to {out}; empty means none
	Image     Image             // zero means no image: the container platform then needs Compile (a scratch image)
	Setup     [][]string        // commands run once per variant where the trials run (in the image, or on the host)
	Command   []string          // the trial; empty only with Steps; one element when Shell
	Steps     []steps.Step      // the trial as a list of steps, instead of Command
	Services  []Service         // run beside the trial, in the order in which they are started
	Shell     bool              // run Command[0] by /bin/sh -c
	Env       map[string]string // added to the trial's environment
	Unset     []string          `json:",omitempty"` // inherited variables that neither set-up nor trials get; see Inherits
	Results   Results
	Timeout   time.Duration // per trial, above 0
	Grace     time.Duration // between TERM and KILL, above 0
	Isolation Isolation
	Network   Network
	Limits    Limits
	MaxOutput int64 // bytes of a trial's output that are kept; head and tail stay, the middle goes; above 0
}

// Git names a repository and the ref that variants start from.
type Git struct {
	URL string // https, ssh, file or an absolute path
	Ref string // branch, tag or commit; empty means the remote's HEAD

	written string // the URL as it stands in the file: a relative path keeps a digest free of the study's location
}

// Image is the container image of the trials.
type Image struct {
	Name  string // a reference such as eclipse-temurin:21, or "scratch"; empty when Build is set
	Build string // absolute folder with a Dockerfile; empty when Name is set
	Pull  Pull
	Args  map[string]string // build arguments
}

// Pull says when an image is pulled.
type Pull string

// The pull policies.
const (
	PullMissing Pull = "missing" // the default: when the engine does not have it
	PullAlways  Pull = "always"
	PullNever   Pull = "never"
)

// ResultFormat says how a trial reports what happened.
type ResultFormat string

// The result formats.
const (
	ResultExit    ResultFormat = "exit"         // the exit status alone; the default
	ResultRecords ResultFormat = "records"      // JSON lines in $FAILRATE_RECORDS
	ResultJUnit   ResultFormat = "junit"        // JUnit XML files
	ResultGoTest  ResultFormat = "go-test-json" // go test -json on stdout, or in files
	ResultTAP     ResultFormat = "tap"          // TAP on stdout, or in files
)

// Results says where a trial's results are.
type Results struct {
	Format ResultFormat
	Files  string // glob relative to the tree; empty means stdout (or $FAILRATE_RECORDS for records)
	// RetriedPass says what a pass after a retry inside the test tool counts as: "fail" (the default) or "pass".
	RetriedPass string
}

// Isolation says what trials share.
type Isolation struct {
	Native    NativeIsolation
	Container ContainerIsolation
}

// NativeIsolation is what native trials share.
type NativeIsolation string

// The native isolations.
const (
	NativeShared NativeIsolation = "shared" // the default: every trial runs in the prepared tree
	NativeCopy   NativeIsolation = "copy"   // every trial runs in its own copy of it
)

// ContainerIsolation is what container trials share.
type ContainerIsolation string

// The container isolations.
const (
	ContainerFresh ContainerIsolation = "fresh" // the default: a new container for every trial
	ContainerWarm  ContainerIsolation = "warm"  // one container per worker, a new process group and scratch folder per trial
)

// Network is what a container trial can reach.
type Network string

// The networks.
const (
	NetworkNone   Network = "none"   // the default: loopback only
	NetworkBridge Network = "bridge" // the engine's default bridge
)

// Limits bound a container trial; a zero field means no limit of that kind.
type Limits struct {
	CPUs   float64 // cores of CPU time per second
	CPUSet string  // the cores it may use, such as 0 or 0-1
	Memory int64   // bytes
	Pids   int64   // processes and threads; 0 means the executor's default
}

// Variant is one thing changed from the baseline. The baseline itself changes nothing, or states its own values.
type Variant struct {
	Name      string
	Patches   []string          // absolute paths, applied in order with git apply
	Ref       string            // another git ref
	Files     map[string]string // path in the tree → absolute file laid over it
	Env       map[string]string
	Args      []string   // appended to the subject's command
	Command   []string   // replaces the subject's command; empty means it stays
	Image     Image      // zero means it stays
	Setup     [][]string // replaces the subject's set-up; nil means it stays
	BuildArgs map[string]string
	Services  map[string]ServiceChange // by the service's name
}

// Changed lists the variant's changes in words, sorted; empty for a variant that changes nothing.
func (v Variant) Changed() []string {
	var out []string
	for _, p := range []struct {
		what string
		is   bool
	}{
		{"args", len(v.Args) > 0}, {"build-args", len(v.BuildArgs) > 0}, {"command", len(v.Command) > 0},
		{"env", len(v.Env) > 0}, {"files", len(v.Files) > 0}, {"image", v.Image.Name != "" || v.Image.Build != ""},
		{"patch", len(v.Patches) > 0}, {"ref", v.Ref != ""}, {"services", len(v.Services) > 0}, {"setup", v.Setup != nil},
	} {
		if p.is {
			out = append(out, p.what)
		}
	}
	return out
}

// Control is a variant whose rate is known in advance: it tests the harness and the study.
type Control struct {
	Variant
	Expect     Expect
	Iterations int // trials per cell in each of the two runs (before and after); at least 1
}

// Expect is the known rate of a control. Exactly one of Fail and Class says what is counted.
type Expect struct {
	Fail    bool    // count every failure
	Class   string  // count failures of this class
	AtLeast float64 // share of the trials, 0..1; 0 means no lower bound
	AtMost  float64 // share of the trials, 0..1; 1 means no upper bound
}

// Stress is a named load level. The zero value (with a name) is no load at all.
type Stress struct {
	Name    string
	CPU     float64 // busy workers per core; 0 means none
	Workers int     // busy workers in all, instead of CPU; 0 means CPU says it
	Duty    float64 // share of the time a worker is busy, in (0, 1]; 0 means 1
	Burst   bool    // load only around the moment the subject announces through $FAILRATE_BURST
	Place   Place
	Quota   float64 // cores of CPU time per second the trial may use (containers only); 0 means no quota
}

// None reports whether the level asks for nothing.
func (s Stress) None() bool { return s.CPU == 0 && s.Workers == 0 && s.Quota == 0 }

// Place says where the busy workers run.
type Place string

// The places.
const (
	Beside Place = "beside" // the default: processes of their own on the host
	Inside Place = "inside" // in the trial's own container, under its limits
)

// Parameter is a value that is swept: each value is a further factor of the cell.
type Parameter struct {
	Name   string   // given to the subject as {name} in the command and as FAILRATE_PARAM_NAME
	Values []string // in file order, at least one, no repeats
}

// Class is one rule that names a failure. Rules are tried in order and the first that matches wins.
type Class struct {
	Name   string // the class; empty when Broken
	Match  string // an RE2 expression searched for in the output and in failure messages; empty matches all
	Exit   *int   // the exit status; nil means any
	Signal string // the signal's name, such as SIGSEGV; empty means any; see Signals
	Broken bool   // the trial could not be run rather than failed
	Source string // study.yaml:line:col, for reclassify and for messages
}

// Evidence is a mark that the path under test really ran.
type Evidence struct {
	Name     string
	Match    string   // RE2, searched for in the output; empty when the subject's records carry Name
	After    string   // RE2: Match counts only after the last match of this; empty means anywhere
	Optional bool     // reported, but a pass without it still counts
	Except   []string // variants and controls that cannot show it
}

// Required reports whether a pass of the variant needs the evidence.
func (e Evidence) Required(variant string) bool {
	if e.Optional {
		return false
	}
	for _, x := range e.Except {
		if x == variant {
			return false
		}
	}
	return true
}

// Claims are what the study wants to be able to say.
type Claims struct {
	Tolerate   float64 // the failure rate that counts as fixed, 0..1; default 0.02
	Margin     float64 // the difference that counts as none, 0..1; default 0.05
	Confidence float64 // default 0.95
}

// BrokenPolicy says what the campaign does about trials that could not be run.
type BrokenPolicy struct {
	Retries int     // further attempts of one trial; default 2
	AtMost  float64 // share of broken attempts that stops the campaign; default 0.2
}

// Keep says which trials' full logs are kept.
type Keep string

// The keep policies.
const (
	KeepFailed Keep = "failed" // the default: of trials that did not pass
	KeepAll    Keep = "all"
	KeepNone   Keep = "none"
)

// Find returns the named variant or control. The bool says whether it is there.
func (s *Study) Find(name string) (Variant, bool) {
	for _, v := range s.Variants {
		if v.Name == name {
			return v, true
		}
	}
	for _, c := range s.Controls {
		if c.Name == name {
			return c.Variant, true
		}
	}
	return Variant{}, false
}

// Level returns the named stress level; an unknown name is an error that lists the known ones.
func (s *Study) Level(name string) (Stress, error) {
	var known []string
	for _, l := range s.Stress {
		if l.Name == name {
			return l, nil
		}
		known = append(known, l.Name)
	}
	return Stress{}, fmt.Errorf("study %s has no stress level %q (it has %q)", s.Name, name, known)
}
