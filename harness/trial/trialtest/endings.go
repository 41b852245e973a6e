package trialtest

import (
	"fmt"
	"testing"
	"time"

	"github.com/failrate/failrate/harness/trial"
)

// endings are the ways in which a subject ends by itself, or cannot begin.
func endings(b Bench) []testCase {
	var cases []testCase
	for _, n := range []int{0, 1, 7, 125, 126, 127, 137, 255} {
		cases = append(cases, testCase{
			name: fmt.Sprintf("exit-%d", n), args: []string{fmt.Sprintf("exit=%d", n)}, want: ending{exit: n},
		})
	}
	cases = append(cases,
		testCase{name: "killed", args: []string{"raise=SIGKILL"}, want: ending{signals: []string{"SIGKILL"}}},
		testCase{name: "hung-up", args: []string{"raise=SIGHUP"}, want: ending{signals: []string{"SIGHUP"}}},
		testCase{
			name: "missing-binary", want: ending{fault: true},
			prepare: func(_ *testing.T, r *trial.Request) { r.Command = []string{"/nowhere/no-such-program"} },
		},
		testCase{
			name: "missing-name", want: ending{fault: true},
			prepare: func(_ *testing.T, r *trial.Request) { r.Command = []string{"no-such-program-in-path"} },
		},
		testCase{
			name: "unknown-variant", want: ending{fault: true},
			prepare: func(_ *testing.T, r *trial.Request) { r.Variant = "no-such-variant" },
		},
		testCase{name: "usage", args: []string{"spin=100"}, check: func(t *testing.T, _ trial.Request, o trial.Observation) {
			if o.Wall < 50*time.Millisecond {
				t.Errorf("wall %v of a program that used 100 ms of CPU time in one thread", o.Wall)
			}
			if used := o.User + o.System; b.Usage && (used < 100*time.Millisecond || used > 10*time.Second) {
				t.Errorf("CPU time %v, want 100 ms and a little", used)
			}
		}},
	)
	return cases
}
