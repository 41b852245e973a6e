package trialtest

import (
	"testing"

	"github.com/failrate/failrate/harness/trial"
)

// processes are the ones that outlive the subject: each must be ended, and none may delay the attempt's end. Every
// one of them would stay for minutes, so an executor that waits runs into the limit, which ending.check sees.
func processes(b Bench) []testCase {
	leaked := func(n int) func(*testing.T, trial.Request, trial.Observation) {
		return func(t *testing.T, r trial.Request, o trial.Observation) {
			t.Helper()
			logs("done\n")(t, r, o)
			if b.Leaks && len(o.Leaked) != n {
				t.Errorf("leaked %q, want %d", o.Leaked, n)
			}
		}
	}
	return []testCase{
		{name: "grandchild-holds-stdout", args: []string{"spawn=held", "stdout=done"}, check: leaked(1)},
		{name: "grandchild-ignores-term", args: []string{"spawn=stubborn", "stdout=done", "exit=4"}, want: ending{exit: 4}, check: leaked(1)},
		{name: "session-of-its-own", args: []string{"spawn=setsid", "stdout=done"}, check: leaked(1)},
		{name: "daemon", args: []string{"spawn=daemon", "stdout=done"}, check: leaked(1)},
		{name: "daemon-that-ended", args: []string{"spawn=brief", "stdout=done"}, check: logs("done\n")},
		{name: "daemon-without-its-first-thread", args: []string{"spawn=headless", "stdout=done"}, check: leaked(1)},
		{name: "many", args: []string{
			"spawn=quiet", "spawn=daemon", "spawn=held", "spawn=setsid", "spawn=stubborn", "spawn=daemon", "stdout=done",
		}, check: leaked(6)},
		{name: "killed-with-family", args: []string{"spawn=daemon", "spawn=quiet", "raise=SIGKILL"}, want: ending{signals: []string{"SIGKILL"}}},
	}
}
