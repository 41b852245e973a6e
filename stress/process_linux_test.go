package stress

import (
	"syscall"
	"testing"
)

// TestKilledHarnessEndsAStoppedWorker: a worker that cannot read the end of its input is ended by the kernel.
func TestKilledHarnessEndsAStoppedWorker(t *testing.T) {
	t.Parallel()
	f := startFamily(t, "workers 2")
	must(t, syscall.Kill(f.worker, syscall.SIGSTOP))
	must(t, f.holder.Process.Kill())
	f.waitGone(t)
}
