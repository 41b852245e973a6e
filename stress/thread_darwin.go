package stress

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadCPU is the CPU time of the calling thread.
func threadCPU() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now); err != nil {
		return 0 // the clock is in every macOS since 10.12; without it a duty is held as 100 % of each period
	}
	return time.Duration(now.Nano())
}

// threadSleep sleeps.
func threadSleep(d time.Duration) { time.Sleep(d) }
