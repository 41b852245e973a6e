package containers

import (
	"testing"

	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial/trialtest"
)

func TestFreshSuite(t *testing.T) { runSuite(t, study.ContainerFresh) }

func TestWarmSuite(t *testing.T) { runSuite(t, study.ContainerWarm) }

func runSuite(t *testing.T, isolation study.ContainerIsolation) {
	t.Parallel()
	e := needEngine(t)
	trialtest.Run(t, func(t *testing.T) trialtest.Bench {
		x := newExecutor(t, Options{
			Engine: e, Isolation: isolation, Images: map[string]Image{"suite": suiteImage(t, e)},
		})
		return trialtest.Bench{
			Executor: x, Variant: "suite", Command: []string{"./subject"}, Leaks: true, Usage: true,
			Left: trialtest.Processes,
		}
	})
}
