package trialtest

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/failrate/failrate/harness/trial"
)

// stops are the ways in which we end a subject.
func stops(b Bench) []testCase {
	const never = time.Hour // a grace that would make the test run out of time, were it granted
	limit := func(grace time.Duration) func(*testing.T, *trial.Request) {
		return func(_ *testing.T, r *trial.Request) { r.Timeout, r.Grace = b.Patience, grace }
	}
	const ready = "write=$FAILRATE_BURST:" // tells the test that the program is set up
	stop := func(_ *testing.T, r *trial.Request) { r.Grace, r.Burst, r.Out.Burst = never, true, r.Out.Log+".burst" }
	return []testCase{
		{
			name: "limit", args: []string{"stdout=begun", "sleep="}, prepare: limit(never),
			want: ending{limit: true, signals: []string{"SIGTERM"}}, check: logs("begun\n"),
		},
		{
			name: "limit-and-exit", args: []string{"onterm=3", "sleep="}, prepare: limit(never),
			want: ending{limit: true, exit: 3}, check: logs("got TERM\n"),
		},
		{
			name: "limit-ignored", args: []string{"ignore=", "sleep="}, prepare: limit(100 * time.Millisecond),
			want: ending{limit: true, signals: []string{"SIGKILL"}},
		},
		{
			name: "limit-whole-tree", args: []string{"spawn=stubborn", "spawn=setsid", "spawn=daemon", "spawn=held", "sleep="},
			prepare: limit(never), want: ending{limit: true, signals: []string{"SIGTERM"}},
		},
		{
			name: "cancelled-before", args: []string{"write=$FAILRATE_ARTIFACTS/ran:yes", "sleep="},
			want: ending{stopped: true, any: true},
			ctx: func(t *testing.T, _ trial.Request) context.Context {
				ctx, cancel := context.WithCancel(t.Context())
				cancel()
				return ctx
			},
		},
		{
			name: "cancelled", args: []string{"spawn=daemon", ready, "sleep="}, prepare: stop,
			want: ending{stopped: true, any: true}, ctx: whenReady(context.Canceled),
		},
		{
			name: "cancelled-ignored", args: []string{"ignore=", "spawn=stubborn", ready, "sleep="}, prepare: stop,
			want: ending{stopped: true, signals: []string{"SIGKILL"}}, ctx: whenReady(context.Canceled),
		},
		{
			name: "killed-at-once", args: []string{"onterm=3", "spawn=daemon", ready, "sleep="}, prepare: stop,
			want: ending{stopped: true, signals: []string{"SIGKILL"}}, ctx: whenReady(trial.ErrKillNow),
		},
	}
}

// whenReady gives a context that ends for a cause once the program has touched its burst file.
func whenReady(cause error) func(*testing.T, trial.Request) context.Context {
	return func(t *testing.T, r trial.Request) context.Context {
		ctx, cancel := context.WithCancelCause(t.Context())
		over := make(chan struct{})
		tick := time.NewTicker(5 * time.Millisecond)
		go func() {
			defer close(over)
			for {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
				}
				if _, err := os.Stat(r.Out.Burst); err == nil {
					cancel(cause)
				}
			}
		}()
		t.Cleanup(func() { cancel(nil); <-over; tick.Stop() })
		return ctx
	}
}

// logs requires the text in the log.
func logs(text string) func(*testing.T, trial.Request, trial.Observation) {
	return func(t *testing.T, r trial.Request, _ trial.Observation) {
		t.Helper()
		if got := read(t, r.Out.Log); !strings.Contains(got, text) {
			t.Errorf("log %.200q lacks %q", got, text)
		}
	}
}
