package journal

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/failrate/failrate/harness/plan"
)

// The variables that make the test program a harness of its own, to be killed or starved.
const (
	childDir  = "FAILRATE_TEST_JOURNAL"
	childSize = "FAILRATE_TEST_FILE_SIZE"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		os.Exit(harness(dir, os.Getenv(childSize)))
	}
	os.Exit(m.Run())
}

// harness resumes a campaign, one record for each byte on stdin, and says on stdout what was acknowledged, each at once.
// It is ended by a kill, by the limit on the size of its files, or when the campaign is complete.
func harness(dir, size string) int {
	if size != "" {
		var n uint64
		if _, err := fmt.Sscan(size, &n); err != nil {
			return 2
		}
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
			return 2
		}
	}
	w, state, err := Open(dir)
	if err != nil {
		fmt.Println("open:", err)
		return 2
	}
	wait := func() { _, _ = os.Stdin.Read(make([]byte, 1)) }
	h := state.Header()
	for b := range h.Plan.Blocks(plan.Shard{}) {
		for _, tr := range b.Trials {
			p := state.Progress(tr)
			if p.Done() {
				continue
			}
			wait()
			id := plan.AttemptID(tr.ID, p.Attempts+1)
			if err := w.Start(Started{ID: id, Started: epoch}); err != nil {
				fmt.Println("failed:", err)
				return 3
			}
			fmt.Println("started", id)
			wait()
			if err := w.Finish(finished(id, outcomeOf(tr), tr.Number)); err != nil {
				fmt.Println("failed:", err)
				return 3
			}
			fmt.Println("finished", id)
		}
	}
	if err := w.Close(); err != nil {
		return 3
	}
	fmt.Println("complete")
	return 0
}
