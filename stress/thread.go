package stress

import (
	"runtime"
	"time"
)

// osThread is the operating system's thread of the goroutine that made it, which must not leave it.
type osThread struct {
	start time.Time // of the process
	state uint64
}

// lockThread ties the calling goroutine to its thread for good.
func lockThread(start time.Time) *osThread {
	runtime.LockOSThread()
	return &osThread{start: start, state: uint64(time.Now().UnixNano()) | 1}
}

func (t *osThread) Now() time.Duration    { return time.Since(t.start) }
func (t *osThread) Sleep(d time.Duration) { threadSleep(d) }
func (t *osThread) CPU() time.Duration    { return threadCPU() }

// Spin is arithmetic in registers: it loads a core and leaves caches and memory to the subject. Each step needs the one
// before, and the result is kept, so that no compiler can leave it out.
func (t *osThread) Spin() {
	const steps = 1 << 14 // about 25 µs
	x := t.state
	for range steps {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	t.state = x
}
