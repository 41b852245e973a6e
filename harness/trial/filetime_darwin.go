package trial

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func changeTime(s *syscall.Stat_t) unix.Timespec {
	return unix.Timespec{Sec: s.Ctimespec.Sec, Nsec: s.Ctimespec.Nsec}
}

// fileClock is the clock that files are stamped with: nanoseconds on APFS.
func fileClock() time.Time { return time.Now() }
