package process

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// system is what Linux needs to know of a session.
type system struct {
	began    uint64 // when the session began, in clock ticks since the machine started
	terminal bool   // we have a terminal that our children would inherit
}

// prepare makes this program the one that orphans are given to, so that a daemon that called setsid becomes our child.
func (s *system) prepare() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become a subreaper: %w", err)
	}
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &now); err != nil {
		return fmt.Errorf("read the clock: %w", err)
	}
	const ticks = 100 // per second, in every Linux that Go runs on
	s.began = uint64(now.Nano()) / uint64(time.Second/ticks)
	s.terminal = !leaveTerminal()
	return nil
}

// apart puts a command into a process group of its own, and asks for a pidfd.
//
// A session of its own would keep it from the terminal as well, but Linux schedules by session where there are no
// control groups (autogroup): a trial would get its half of a core against any number of busy neighbours in ours, and
// stress would be none. The kernel also takes twice as long to start it. So we give the terminal up instead.
func (s *system) apart(handle *int) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: !s.terminal, Setsid: s.terminal, PidFD: handle}
}

// leaveTerminal gives up our controlling terminal, and so that of everything we start. Ctrl-C and Ctrl-Z reach us all
// the same, as they go to our process group, and so does what we write. The first process of a session cannot leave
// it to the others.
func leaveTerminal() bool {
	fd, err := unix.Open("/dev/tty", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return errors.Is(err, unix.ENXIO) || errors.Is(err, unix.ENOENT) // there is none
	}
	defer unix.Close(fd)
	if first, err := unix.Getsid(0); err != nil || first == os.Getpid() {
		return false
	}
	return unix.IoctlSetInt(fd, unix.TIOCNOTTY, 0) == nil
}
