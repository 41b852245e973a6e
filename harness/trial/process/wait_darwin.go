package process

import (
	"errors"
	"fmt"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// pipe makes one whose ends no other program inherits. There is no pipe2, hence the lock.
func pipe() (fds [2]int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err = unix.Pipe(fds[:]); err != nil {
		return fds, err
	}
	unix.CloseOnExec(fds[0])
	unix.CloseOnExec(fds[1])
	return fds, nil
}

// await waits until the first process has ended, and leaves it unreaped: its number is not given to another process
// as long as signals may be sent to it.
func (p *Process) await(s *stopper) error {
	kq, err := unix.Kqueue()
	if err != nil {
		return fmt.Errorf("wait for process %d: %w", p.pid, err)
	}
	defer unix.Close(kq)
	unix.CloseOnExec(kq)
	ask := make([]unix.Kevent_t, 1)
	unix.SetKevent(&ask[0], p.pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	ask[0].Fflags = unix.NOTE_EXIT
	look := unix.NsecToTimespec(time.Second.Nanoseconds()) // how often a process that was sent KILL is looked at
	for {
		n, err := unix.Kevent(kq, ask, make([]unix.Kevent_t, 1), &look)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.ESRCH), n > 0 && err == nil: // ESRCH: it had ended before we asked
			return nil
		case err != nil:
			return fmt.Errorf("wait for process %d: %w", p.pid, err)
		case s.stuck():
			return fmt.Errorf("process %d did not end within %v of KILL: it is stuck in the kernel", p.pid, killPatience)
		}
		ask = nil
	}
}

// ended reports whether the first process has ended. It must not have been reaped.
func (p *Process) ended() bool {
	e, ok := lookUp(p.pid)
	return !ok || e.zombie
}

// peak is the peak memory in bytes.
func peak(u *unix.Rusage) int64 { return u.Maxrss }
