package process

import (
	"errors"

	"golang.org/x/sys/unix"
)

// errEnded says that there is nobody any more to take a signal.
var errEnded = errors.New("the process has ended")

// Suspend stops the whole tree where it stands until Resume. Wait must have been called: before and after it nothing is
// there that a signal could safely go to. What the tree starts while it is being stopped is stopped too.
func (p *Process) Suspend() error {
	return p.signal(func() {
		for range 2 { // the second round is for what was being started during the first
			p.send(unix.SIGSTOP)
		}
	})
}

// Resume lets a suspended tree go on.
func (p *Process) Resume() error { return p.signal(func() { p.send(unix.SIGCONT) }) }

// Ended reports whether the first process has ended, though Wait may still be busy with what it left.
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
