package process

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// errEnded says that there is nobody any more to take a signal.
var errEnded = errors.New("the process has ended")

// Suspend stops the whole tree where it stands until Resume, and returns when none of it runs. Wait must have been called:
// before and after it nothing is there that a signal could safely go to.
func (p *Process) Suspend() error {
	for begun := time.Now(); ; {
		stands := true
		err := p.signal(func() {
			p.send(unix.SIGSTOP) // again and again: what was being started is not stopped by the first one
			for _, e := range p.members() {
				stands = stands && e.stands()
			}
		})
		if err != nil || stands {
			return err
		}
		if time.Since(begun) > killPatience {
			return fmt.Errorf("it was not suspended within %v", killPatience)
		}
		_, _ = unix.Poll(nil, 1)
	}
}

// send sends a signal to the whole tree: its group, and what left the group. The first process must not have been reaped.
func (p *Process) send(sig unix.Signal) {
	_ = unix.Kill(-p.pid, sig)
	for _, e := range p.members() {
		if e.group != p.pid {
			e.signal(sig)
		}
	}
}

// Resume lets a suspended tree go on.
func (p *Process) Resume() error { return p.signal(func() { p.send(unix.SIGCONT) }) }

// Kill ends the whole tree at once, for no reason of Wait's limits. Wait reports its end.
func (p *Process) Kill() {
	p.mu.Lock()
	st := p.end
	p.mu.Unlock()
	if st != nil {
		st.abandon()
	}
}

// Ended reports whether the first process has ended, though Wait may still be busy with what it left. Before Wait was
// called it says no.
func (p *Process) Ended() bool { return errors.Is(p.signal(func() {}), errEnded) }

// signal does something to a tree that is waited for and has not been reaped.
func (p *Process) signal(do func()) error {
	p.mu.Lock()
	st := p.end
	p.mu.Unlock()
	if st == nil {
		return errors.New("the process is not waited for yet")
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.over || p.ended() {
		return errEnded
	}
	do()
	return nil
}
