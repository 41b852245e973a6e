package trialtest

import (
	"context"
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
	grace := func(d time.Duration) func(*testing.T, *trial.Request) {
		return func(_ *testing.T, r *trial.Request) { r.Grace = d }
	}
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
			name: "cancelled", args: []string{"stdout=begun", "spawn=daemon", "sleep="}, prepare: grace(never),
			want: ending{stopped: true, any: true}, ctx: after(b.Patience, context.Canceled),
		},
		{
			name: "cancelled-ignored", args: []string{"ignore=", "spawn=stubborn", "sleep="}, prepare: grace(never),
			want: ending{stopped: true, signals: []string{"SIGKILL"}}, ctx: after(b.Patience, context.Canceled),
		},
		{
			name: "killed-at-once", args: []string{"onterm=3", "spawn=daemon", "sleep="}, prepare: grace(never),
			want: ending{stopped: true, signals: []string{"SIGKILL"}}, ctx: after(b.Patience, trial.ErrKillNow),
		},
	}
}

// after gives a context that ends for a cause after the program has had time to set itself up.
func after(d time.Duration, cause error) func(*testing.T, trial.Request) context.Context {
	return func(t *testing.T, _ trial.Request) context.Context {
		ctx, cancel := context.WithCancelCause(t.Context())
		timer := time.AfterFunc(d, func() { cancel(cause) })
		t.Cleanup(func() { timer.Stop(); cancel(nil) })
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
