package trial

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func changeTime(s *syscall.Stat_t) unix.Timespec {
	return unix.Timespec{Sec: s.Ctim.Sec, Nsec: s.Ctim.Nsec}
}

// fileClock is the clock that files are stamped with.
func fileClock() time.Time {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_REALTIME_COARSE, &t); err != nil {
		return time.Now()
	}
	return time.Unix(t.Unix())
}
