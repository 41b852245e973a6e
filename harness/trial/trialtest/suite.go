// Package trialtest is the behaviour suite that every executor of trials passes.
//
// It takes an executor, runs its own small program (package subject) through it, and fails the test where an
// Observation or a file is not what package trial promises. It knows nothing of how an executor works: what differs
// between platforms is stated in a Bench. It is used by tests only and is no part of the pipeline.
package trialtest

import (
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/failrate/failrate/harness/trial"
)

// Bench is one executor under test, and what the suite must know of it.
type Bench struct {
	Executor trial.Executor
	Variant  string        // has a prepared tree or image; the suite writes below the tree when results are collected
	Command  []string      // starts the program that Program built, where trials run; the suite appends its arguments
	Env      []string      // NAME=value of every request, such as PATH; may be empty
	Patience time.Duration // enough for the program to start on a busy machine; 0 means 2 s
	Leaks    bool          // Observation.Leaked is filled in
	Usage    bool          // Observation.User and System are filled in
	// Left lists the processes (and containers) that are left of the attempt whose program bears the token in its
	// arguments. Processes does it for programs of this host.
	Left func(t *testing.T, token string) []string
}

// Factory makes the executor and what it runs on. It is called once for each Run, cleans up through t.Cleanup, and
// may share what is slow to make between tests.
type Factory func(t *testing.T) Bench

// Run puts an executor through the whole suite. The cases run in parallel with each other.
func Run(t *testing.T, factory Factory) {
	b := factory(t)
	if b.Patience == 0 {
		b.Patience = 2 * time.Second
	}
	var cases []testCase
	for _, part := range [][]testCase{endings(b), stops(b), outputs(), files(), processes(b)} {
		cases = append(cases, part...)
	}
	t.Run("suite", func(t *testing.T) { // the group ends before the factory's cleanups run
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				c.run(t, b)
			})
		}
	})
}

// testCase is one execution of the program and what must be true after it.
type testCase struct {
	name    string
	args    []string
	prepare func(t *testing.T, r *trial.Request)
	ctx     func(t *testing.T, r trial.Request) context.Context // nil means one that does not end
	want    ending
	check   func(t *testing.T, r trial.Request, o trial.Observation)
}

// ending is how the attempt must end. The zero value is success.
type ending struct {
	exit    int
	signals []string // one of these ended it; exit must be -1
	limit   bool
	stopped bool
	fault   bool
	any     bool // exit and signal are the case's own business
}

func (c testCase) run(t *testing.T, b Bench) {
	token := rand.Text()
	r := request(t, b, append([]string{"token=" + token}, c.args...))
	if c.prepare != nil {
		c.prepare(t, &r)
	}
	ctx := t.Context()
	if c.ctx != nil {
		ctx = c.ctx(t, r)
	}
	o := b.Executor.Execute(ctx, r)
	if b.Left != nil {
		if left := b.Left(t, token); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	}
	if c.want.check(t, o) && c.check != nil {
		c.check(t, r, o)
	}
	if t.Failed() {
		log, err := os.ReadFile(r.Out.Log)
		t.Logf("observation: %+v\nlog (%v): %.2000q", o, err, log)
	}
}

// request is an attempt of the program with every output in a folder of the test's own.
func request(t *testing.T, b Bench, args []string) trial.Request {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{"logs", "records", "artifacts", "results"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return trial.Request{
		ID:      "case/native/none#0001",
		Variant: b.Variant,
		Command: append(append([]string{}, b.Command...), args...),
		Env:     append([]string{"FAILRATE_TRIAL=case/native/none#0001"}, b.Env...),
		Timeout: 2 * time.Minute,
		Grace:   time.Minute,
		Out: trial.Output{
			Log:       filepath.Join(dir, "logs", "trial.log"),
			Records:   filepath.Join(dir, "records", "trial.jsonl"),
			Artifacts: filepath.Join(dir, "artifacts", "trial"),
			Results:   filepath.Join(dir, "results"),
		},
	}
}

// check compares what ended the attempt.
func (e ending) check(t *testing.T, o trial.Observation) bool {
	t.Helper()
	if e.fault != (o.Fault != "") {
		t.Errorf("fault %q; a fault is wanted: %t", o.Fault, e.fault)
	}
	if e.limit != o.Limit || e.stopped != o.Stopped {
		t.Errorf("limit %t and stopped %t, want %t and %t", o.Limit, o.Stopped, e.limit, e.stopped)
	}
	if o.OOM {
		t.Error("out of memory")
	}
	if e.fault && (o.Exit != -1 || o.Signal != "") {
		t.Errorf("a trial that could not be run has exit %d and signal %q, want -1 and none", o.Exit, o.Signal)
	}
	if !e.fault && !e.any {
		e.checkStatus(t, o)
	}
	if !e.fault && !e.stopped && (o.Started.IsZero() || o.Wall <= 0) {
		t.Errorf("started %v, wall %v; want both", o.Started, o.Wall)
	}
	return !t.Failed()
}

func (e ending) checkStatus(t *testing.T, o trial.Observation) {
	t.Helper()
	exit := e.exit
	if len(e.signals) > 0 {
		exit = -1
	}
	if o.Exit != exit {
		t.Errorf("exit %d, want %d", o.Exit, exit)
	}
	for _, s := range e.signals {
		if o.Signal == s {
			return
		}
	}
	if o.Signal != "" || len(e.signals) > 0 {
		t.Errorf("signal %q, want one of %q", o.Signal, e.signals)
	}
}
