// Package trial runs one attempt of a trial and gives the facts of it: an Observation.
//
// It stands between plan and classify in the pipeline study → plan → trial → classify → journal → report.
// It takes a Request and gives an Observation; it never says whether the subject passed or failed. Here are the
// contract that every executor keeps and the native executor; package containers has the other one.
package trial

import (
	"context"
	"errors"
	"time"

	"github.com/failrate/failrate/harness/study"
)

// ErrKillNow is the cause (context.Cause) of a context that ends an attempt without any grace.
var ErrKillNow = errors.New("killed at once")

// Executor runs attempts. Implementations are safe for use by several goroutines.
type Executor interface {
	// Execute runs one attempt to its end and always gives an Observation: a trial that could not be run has a Fault.
	// When ctx ends, the attempt is stopped (TERM, grace of at most StopGrace, KILL to its whole process tree) and
	// Stopped is set; when the cause is ErrKillNow, the KILL comes at once.
	// When Execute returns, nothing of the attempt is left: no process, no container, no temporary folder.
	Execute(ctx context.Context, r Request) Observation
}

// Request is everything an executor needs to know about one attempt. Paths are absolute and on the host.
type Request struct {
	ID        string   // the attempt's id, such as a/native/none#0042!2
	Variant   string   // chooses the prepared tree or image
	Command   []string // parameters already filled in; never empty; the first word is looked up in the tree, then in PATH
	Shell     bool     // run Command[0] by /bin/sh -c
	Env       []string // NAME=value, complete except for the FAILRATE_… paths, which the executor sets
	Timeout   time.Duration
	Grace     time.Duration // between TERM and KILL; 0 means DefaultGrace
	MaxOutput int64         // bytes of output kept; 0 means DefaultMaxOutput
	Results   string        // glob of result files relative to the tree; empty means none
	Quota     float64       // cores of CPU time per second (containers); 0 means none
	Burst     bool          // the subject may announce a moment by touching $FAILRATE_BURST
	Inside    *InsideLoad   // load to hold in the trial's own container; nil means none
	Network   string        // the containers' network that the trial joins; empty means the executor's own choice
	Hosts     []string      // name:address of others on that network
	Out       Output

	// Services run beside the subject; an executor that cannot run them gives a Fault. Their variant's changes and
	// parameters are filled in, Env is all of their environment but for the image's, and what is known only when they
	// run stands as a Place in their texts and in Command and Env.
	Services []study.Service
	Block    string // names the block that the trial belongs to, for services that live as long
}

// Place stands in a text for what is known only when services run: where one is, by study.Service.PortName, or what a
// service is told of itself. It holds bytes that no argument and no variable can, so nothing is taken for one by
// mistake, and nothing starts with one left in it.
func Place(name string) string { return "\x00" + name + "\x00" }

// InsideLoad is a stress level that runs in the trial's own container, in words that the executor's agent understands.
type InsideLoad struct {
	Args []string // arguments of the agent's stress worker
}

// Output is where an attempt's files go. The executor makes the files; their folders exist.
type Output struct {
	Log       string // the merged stdout and stderr; there is no file when the subject wrote nothing
	Stdout    string // stdout alone when the results are read from it, in the same way; empty means not wanted
	Records   string // $FAILRATE_RECORDS, or its copy out of a container
	Artifacts string // $FAILRATE_ARTIFACTS, or its copy; the folder is made only when something is in it
	Results   string // folder into which files that match Request.Results are copied
	Burst     string // $FAILRATE_BURST on the host; empty unless Burst
	Services  string // folder for the output of services, one NAME.log each; empty means that it is not kept
}

// The defaults of a Request.
const (
	DefaultGrace     = 10 * time.Second
	StopGrace        = 2 * time.Second // the most that a stopped attempt gets, whatever its Grace
	DefaultMaxOutput = 64 << 20
)

// Observation is the facts of one attempt. It is written to the journal as it is; the names are part of its format.
type Observation struct {
	Started time.Time     `json:"started"`
	Wall    time.Duration `json:"wall_ns"`             // start to end of the subject, without preparing and cleaning up
	Exit    int           `json:"exit"`                // exit status; -1 when there is none (signal, fault)
	Signal  string        `json:"signal,omitempty"`    // the signal that ended it, such as SIGKILL
	Fault   string        `json:"fault,omitempty"`     // why it could not be run or its end not be learnt; one line
	Limit   bool          `json:"limit,omitempty"`     // the time limit passed and we ended it
	Stopped bool          `json:"stopped,omitempty"`   // ctx ended and we ended it
	OOM     bool          `json:"oom,omitempty"`       // the kernel ended it for want of memory
	Death   string        `json:"death,omitempty"`     // the service that ended before the subject did, and how, where the study calls that a failure; one line
	User    time.Duration `json:"user_ns,omitempty"`   // CPU time of the subject and its children
	System  time.Duration `json:"system_ns,omitempty"` // the same in the kernel
	MaxRSS  int64         `json:"max_rss,omitempty"`   // peak memory, bytes; 0 means not known
	Leaked  []string      `json:"leaked,omitempty"`    // processes that outlived the subject and were ended, as "name (pid)"; at most 16
	Output  Captured      `json:"output"`
	Load    *Load         `json:"load,omitempty"`
	Facts   Facts         `json:"facts,omitempty"`   // of the platform for this attempt: image digest, tree digest
	Results []string      `json:"results,omitempty"` // result files that were collected, relative to Output.Results
}

// Facts are named values that describe where an attempt ran, such as image, kernel or gomaxprocs.
type Facts map[string]string

// Captured describes the output that was kept.
type Captured struct {
	Bytes   int64  `json:"bytes"`             // what the subject wrote
	Dropped int64  `json:"dropped,omitempty"` // what was cut out of the middle
	SHA256  string `json:"sha256,omitempty"`  // hex, of the log; empty when nothing was written
}

// Load is the stress that was asked for and what was achieved during the attempt. A nil pointer means not measured.
type Load struct {
	Asked     string   `json:"asked"`               // the level, such as cpu 2x
	Cores     *float64 `json:"cores,omitempty"`     // CPU time of the workers per second of wall time
	Busy      *float64 `json:"busy,omitempty"`      // busy share of the whole machine, 0..1
	Pressure  *float64 `json:"pressure,omitempty"`  // share of the time some task waited for a CPU, 0..1
	Periods   *int64   `json:"periods,omitempty"`   // CPU quota periods of the trial's cgroup
	Throttled *int64   `json:"throttled,omitempty"` // those in which it was throttled
}
