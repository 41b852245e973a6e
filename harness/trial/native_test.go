package trial_test

import (
	"os"
	"runtime"
	"testing"

	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
	"github.com/failrate/failrate/harness/trial/trialtest"
)

func TestNativeShared(t *testing.T) {
	t.Parallel()
	trialtest.Run(t, func(t *testing.T) trialtest.Bench { return bench(t, trial.NativeOptions{}) })
}

func TestNativeCopy(t *testing.T) {
	t.Parallel()
	trialtest.Run(t, func(t *testing.T) trialtest.Bench {
		return bench(t, trial.NativeOptions{Isolation: study.NativeCopy})
	})
}

// bench is a native executor that must leave nothing in its folders.
func bench(t *testing.T, o trial.NativeOptions) trialtest.Bench {
	t.Helper()
	o.Scratch, o.Sessions = t.TempDir(), t.TempDir()
	o.Trees = map[string]trial.Tree{"v": {Dir: t.TempDir(), Facts: trial.Facts{"tree": "digest"}}}
	n := trial.NewNative(o)
	t.Cleanup(func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
		for _, dir := range []string{o.Scratch, o.Sessions} {
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("left in %s: %v (%v)", dir, left, err)
			}
		}
	})
	return trialtest.Bench{
		Executor: n, Variant: "v", Command: []string{trialtest.Program(t, runtime.GOOS)}, Env: []string{"PATH=/usr/bin:/bin"},
		Leaks: true, Usage: true, Left: trialtest.Processes,
	}
}
