package process

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Limits says when and how a process is ended before it ends by itself.
type Limits struct {
	Timeout time.Duration // 0 means none
	Grace   time.Duration // between TERM and KILL when the time limit passed
	Stop    time.Duration // the same when the context ended
	AtOnce  error         // the cause of a context that ends a process by KILL alone; nil means there is none
}

// Exit is how a process ended and what it used.
type Exit struct {
	Wall    time.Duration // from its start to the end of its first process
	Status  int           // exit status; -1 when a signal ended it or its end is not known
	Signal  string        // such as SIGKILL
	Limit   bool          // the time limit passed, and we ended it
	Stopped bool          // the context ended, and we ended it
	User    time.Duration // CPU time of it and of what it left
	System  time.Duration
	MaxRSS  int64    // peak memory of its largest process in bytes; 0 means not known
	Leaked  []string // what outlived it when it ended by itself, as "name (pid)"; at most MaxLeaked
}

// MaxLeaked bounds Exit.Leaked.
const MaxLeaked = 16

// What a process that was sent KILL is given to be gone, and what a holder of its pipe is given to let go.
const (
	killPatience = 2 * time.Second
	pipePatience = 250 * time.Millisecond
)

// Wait waits until the process has ended, by itself or by the limits, ends whatever it left, and reaps it. An error
// says that its end or its output could not be learnt in full; the Exit then holds what is known.
func (p *Process) Wait(ctx context.Context, l Limits) (Exit, error) {
	st := &stopper{p: p, limits: l}
	release := st.watch(ctx)
	err := p.await(st)
	exit := Exit{Wall: time.Since(p.began), Status: -1}
	release()
	exit.Limit, exit.Stopped = st.limit, st.stopped
	if err == nil {
		err = p.reap(&exit)
	}
	leaked, rest := p.endRest(&exit)
	p.session.count(-1)
	if !st.begun {
		exit.Leaked = leaked
	}
	err = errors.Join(err, rest)
	for _, s := range p.streams {
		err = errors.Join(err, s.finish(pipePatience))
	}
	return exit, err
}

// reap takes the status and the resource use of the first process, which has ended.
func (p *Process) reap(exit *Exit) error {
	var status unix.WaitStatus
	var use unix.Rusage
	for {
		_, err := unix.Wait4(p.pid, &status, 0, &use)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		p.session.forget(p)
		if err != nil {
			return fmt.Errorf("learn the end of process %d: %w", p.pid, err)
		}
		break
	}
	exit.addUse(&use)
	if status.Signaled() {
		exit.Signal = unix.SignalName(status.Signal())
		if exit.Signal == "" {
			exit.Signal = fmt.Sprintf("signal %d", status.Signal())
		}
		return nil
	}
	exit.Status = status.ExitStatus()
	return nil
}

func (s *Session) forget(p *Process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.active, p.pid)
	if p.handle >= 0 {
		_ = unix.Close(p.handle)
		p.handle = -1
	}
}

func (e *Exit) addUse(u *unix.Rusage) {
	e.User += time.Duration(u.Utime.Nano())
	e.System += time.Duration(u.Stime.Nano())
	e.MaxRSS = max(e.MaxRSS, peak(u))
}

// stopper ends a process from outside: TERM, then KILL.
type stopper struct {
	p      *Process
	limits Limits

	mu      sync.Mutex
	over    bool // the first process has ended or was given up; no signal may be sent any more
	begun   bool // we ended it
	limit   bool
	stopped bool
	killed  time.Time
	timers  []*time.Timer
}

// watch sets everything that may end the process. The function that it gives undoes it: after it no signal is sent.
func (s *stopper) watch(ctx context.Context) (release func()) {
	s.mu.Lock()
	if s.limits.Timeout > 0 {
		s.after(s.limits.Timeout-time.Since(s.p.began), func() { s.stop(&s.limit, s.limits.Grace) })
	}
	s.mu.Unlock()
	forget := context.AfterFunc(ctx, func() {
		grace := s.limits.Stop
		if s.limits.AtOnce != nil && errors.Is(context.Cause(ctx), s.limits.AtOnce) {
			grace = 0
		}
		s.stop(&s.stopped, grace)
	})
	s.p.mu.Lock()
	s.p.end = s
	broken := s.p.broken
	s.p.mu.Unlock()
	if broken {
		s.abandon()
	}
	return func() {
		forget()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.over = true
		for _, t := range s.timers {
			t.Stop()
		}
	}
}

// after must be called with the lock held.
func (s *stopper) after(d time.Duration, f func()) { s.timers = append(s.timers, time.AfterFunc(d, f)) }

// stop begins to end the process for the reason that the flag stands for. A second reason can only shorten the grace.
func (s *stopper) stop(reason *bool, grace time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over || s.p.ended() { // ended by itself, perhaps while we were suspended
		return
	}
	*reason = *reason || !s.begun
	first := !s.begun
	s.begun = true
	if grace <= 0 {
		s.kill()
		return
	}
	if first {
		s.p.send(unix.SIGTERM)
		s.p.send(unix.SIGCONT) // a stopped process does not see the TERM
	}
	s.after(grace, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.over {
			s.kill()
		}
	})
}

// abandon ends the process at once and for no reason of the caller's.
func (s *stopper) abandon() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over && !s.p.ended() {
		s.kill()
	}
}

// kill must be called with the lock held. The rest of the tree is ended after the first process.
func (s *stopper) kill() {
	s.begun = true
	if s.killed.IsZero() {
		s.killed = time.Now()
	}
	_ = unix.Kill(-s.p.pid, unix.SIGKILL)
}

// stuck reports whether the process should have been gone long ago.
func (s *stopper) stuck() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.killed.IsZero() && time.Since(s.killed) > killPatience
}
