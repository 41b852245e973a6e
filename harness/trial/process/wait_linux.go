package process

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

func pipe() (fds [2]int, err error) {
	err = unix.Pipe2(fds[:], unix.O_CLOEXEC)
	return fds, err
}

// await waits until the first process has ended, and leaves it unreaped: its number is not given to another process
// as long as signals may be sent to it.
func (p *Process) await(s *stopper) error {
	const look = time.Second // how often a process that was sent KILL is looked at
	for {
		var err error
		if p.handle >= 0 {
			_, err = unix.Poll([]unix.PollFd{{Fd: int32(p.handle), Events: unix.POLLIN}}, int(look.Milliseconds())) //nolint:gosec // a file descriptor
		} else { // a kernel before 5.4: there is no waiting for a while, so a process stuck in the kernel holds us up
			err = unix.Waitid(unix.P_PID, p.pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		}
		switch {
		case err != nil && !errors.Is(err, unix.EINTR):
			return fmt.Errorf("wait for process %d: %w", p.pid, err)
		case p.ended():
			return nil
		case s.stuck():
			return fmt.Errorf("process %d did not end within %v of KILL: it is stuck in the kernel", p.pid, killPatience)
		}
	}
}

// ended reports whether the first process has ended. It must not have been reaped.
func (p *Process) ended() bool {
	var info unix.Siginfo
	for {
		err := unix.Waitid(unix.P_PID, p.pid, &info, unix.WEXITED|unix.WNOWAIT|unix.WNOHANG, nil)
		if !errors.Is(err, unix.EINTR) {
			return err != nil || info.Signo != 0
		}
	}
}

// peak is the peak memory in bytes, or 0 where it is not known: until its exec, a new process shares our memory, and
// Linux counts that as its own, so only what is above our own peak is the process's.
func peak(u *unix.Rusage) int64 {
	var own unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &own); err != nil || u.Maxrss <= own.Maxrss {
		return 0
	}
	return u.Maxrss << 10
}
