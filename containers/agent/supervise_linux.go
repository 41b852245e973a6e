package agent

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// family is every process of an attempt: the subject, what it started, and the stress worker.
type family struct {
	subject int
	load    int      // the stress worker; 0 means none
	hold    *os.File // its stdin, which ends with the attempt
	said    *os.File // its stdout and stderr
	ended   bool     // it has ended
	lost    bool     // it ended before its time
	started time.Time
	begun   bool // we began to end it
	killed  bool // everything was sent KILL
}

// ended is one process that was waited for.
type ended struct {
	pid    int
	status syscall.WaitStatus
	usage  syscall.Rusage
	at     time.Time
}

// supervise waits for the subject's end and brings it about when the time limit passes or the harness says stop.
func (s *server) supervise(r Run, f *family, res *Result) {
	done := make(chan ended, 1)
	go func() { done <- f.awaitSubject(res) }()
	var limit, kill <-chan time.Time
	if r.Timeout > 0 {
		limit = time.After(r.Timeout)
	}
	var due time.Time
	terminate := func(grace time.Duration) {
		f.terminate(grace)
		if at := time.Now().Add(grace); due.IsZero() || at.Before(due) { // a second reason can only shorten the grace
			due, kill = at, time.After(grace)
		}
	}
	for {
		select {
		case e := <-done:
			f.judge(e, res)
			return
		case <-limit:
			res.Limit = true
			terminate(r.Grace)
		case o := <-s.orders:
			if o.Stop == nil || o.Stop.Seq != r.Seq {
				continue
			}
			res.Stopped = !res.Limit
			limit = nil
			terminate(o.Stop.Grace)
		case <-kill:
			f.killAll()
			limit, kill = nil, nil
		}
	}
}

// terminate asks everything but the stress worker to end, unless the KILL follows at once.
func (f *family) terminate(grace time.Duration) {
	f.begun = true
	if grace <= 0 {
		return
	}
	for _, p := range living(f.load) {
		_ = syscall.Kill(p.pid, syscall.SIGTERM)
		_ = syscall.Kill(p.pid, syscall.SIGCONT) // a stopped process does not see the TERM
	}
}

func (f *family) killAll() {
	f.killed = true
	_ = syscall.Kill(-1, syscall.SIGKILL)
}

// awaitSubject reaps until the subject is among the dead. It is the only one that waits for processes meanwhile.
func (f *family) awaitSubject(res *Result) ended {
	for {
		e, err := reap(0)
		if err != nil {
			return ended{pid: f.subject, at: time.Now()} // not reached: the subject is a child until it is reaped
		}
		if e.pid == f.subject {
			return e
		}
		f.count(e, res)
	}
}

// reap waits for any child.
func reap(options int) (ended, error) {
	var e ended
	for {
		pid, err := syscall.Wait4(-1, &e.status, options, &e.usage)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		e.pid, e.at = pid, time.Now()
		return e, err
	}
}

func (f *family) judge(e ended, res *Result) {
	f.count(e, res)
	res.Wall = e.at.Sub(f.started)
	if e.status.Signaled() {
		res.Signal = signalName(e.status.Signal())
		return
	}
	res.Exit = e.status.ExitStatus()
}

// count adds what a process used. A child's use is in its parent's when the parent waited for it, and comes by
// itself when the parent died first, so nothing is counted twice.
func (f *family) count(e ended, res *Result) {
	user, system := time.Duration(e.usage.Utime.Nano()), time.Duration(e.usage.Stime.Nano())
	if e.pid == f.load {
		res.Load += user + system
		f.ended = true
		return
	}
	res.User += user
	res.System += system
	res.MaxRSS = max(res.MaxRSS, e.usage.Maxrss<<10)
}

// endAll kills and reaps whatever is left and notes it, the stress worker excepted. Process 1 adopts every orphan, so
// no children at all means no processes at all.
func (f *family) endAll(res *Result) {
	for {
		e, err := reap(syscall.WNOHANG)
		if err == nil && e.pid > 0 {
			f.count(e, res)
			continue
		}
		f.lost = f.ended && !f.killed // a stress worker that is gone did not hold its load
		if err != nil {
			return
		}
		break
	}
	if !f.begun {
		res.Leaked = describe(living(f.load))
	}
	f.killAll()
	for {
		e, err := reap(0)
		if err != nil {
			return
		}
		f.count(e, res)
	}
}
