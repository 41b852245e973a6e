package campaign

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/failrate/failrate/stress"
)

// TestMain lets this program be a stress worker, as failrate is.
func TestMain(m *testing.M) {
	if stress.IsWorker() {
		os.Exit(stress.RunWorker())
	}
	os.Exit(m.Run())
}

// TestALevelIsHeldFromTrialToTrial: its workers are started once, and again only when they ended too early.
func TestALevelIsHeldFromTrialToTrial(t *testing.T) {
	t.Parallel()
	var l loads
	defer l.release()
	take := func() *stress.Load {
		t.Helper()
		load, err := l.take(t.Context(), stress.Level{Workers: 1, Duty: 0.01})
		if err != nil {
			t.Fatal(err)
		}
		return load
	}
	first := take()
	if err := l.give(first, nil); err != nil {
		t.Fatal(err)
	}
	if second := take(); second != first {
		t.Fatal("the second trial got workers of its own")
	}
	mark, err := first.Mark()
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(first.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for err == nil { // until its end is noticed
		_, err = first.Since(mark)
	}
	if err := l.give(first, err); err == nil || !strings.Contains(err.Error(), "was not held") {
		t.Errorf("error %v does not say that the load was not held", err)
	}
	if third := take(); third == first || third.PID() == 0 {
		t.Error("the trial after the workers' end got none")
	}
}
