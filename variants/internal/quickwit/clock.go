package quickwit

import (
	"container/heap"
	"sync"
	"time"
)

// Clock runs functions later, one at a time, in the order of their times and then of their calls.
type Clock interface {
	Now() time.Duration // since the clock's start
	After(d time.Duration, f func())
}

// event is a function that is due.
type event struct {
	at  time.Duration
	seq uint64
	run func()
}

// agenda is a heap of events.
type agenda struct {
	events []event
	seq    uint64
}

func (a *agenda) Len() int { return len(a.events) }
func (a *agenda) Less(i, j int) bool {
	x, y := a.events[i], a.events[j]
	return x.at < y.at || x.at == y.at && x.seq < y.seq
}
func (a *agenda) Swap(i, j int) { a.events[i], a.events[j] = a.events[j], a.events[i] }
func (a *agenda) Push(x any)    { a.events = append(a.events, x.(event)) }
func (a *agenda) Pop() any {
	last := len(a.events) - 1
	e := a.events[last]
	a.events[last] = event{}
	a.events = a.events[:last]
	return e
}

func (a *agenda) add(at time.Duration, f func()) {
	a.seq++
	heap.Push(a, event{at, a.seq, f})
}

// Virtual is a clock that jumps from one event to the next. The zero value starts at 0. It has one user at a time.
type Virtual struct {
	now    time.Duration
	agenda agenda
}

// Now is the time of the event that runs, or where the last Sleep ended.
func (v *Virtual) Now() time.Duration { return v.now }

// After has f run at a later time.
func (v *Virtual) After(d time.Duration, f func()) { v.agenda.add(v.now+max(d, 0), f) }

// Sleep runs what is due within d, and moves the time by d.
func (v *Virtual) Sleep(d time.Duration) {
	end := v.now + d
	for v.agenda.Len() > 0 && v.agenda.events[0].at <= end {
		v.step()
	}
	v.now = end
}

// Until runs events until done holds, and reports whether it does; after limit it gives up.
func (v *Virtual) Until(done func() bool, limit time.Duration) bool {
	end := v.now + limit
	for !done() {
		if v.agenda.Len() == 0 || v.agenda.events[0].at > end {
			return false
		}
		v.step()
	}
	return true
}

func (v *Virtual) step() {
	e := heap.Pop(&v.agenda).(event)
	v.now = e.at
	e.run()
}

// Real is a clock of real time. Its functions run on one goroutine of its own. Create it with NewReal.
type Real struct {
	start time.Time
	wake  chan struct{} // something was added
	stop  chan struct{}
	done  chan struct{}

	mu     sync.Mutex
	agenda agenda
}

// NewReal starts a clock; Close ends it.
func NewReal() *Real {
	r := &Real{start: time.Now(), wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
	go r.loop()
	return r
}

// Now is the time since the start. Any goroutine may ask.
func (r *Real) Now() time.Duration { return time.Since(r.start) }

// After has f run at a later time. Any goroutine may call it; after Close it does nothing.
func (r *Real) After(d time.Duration, f func()) {
	at := r.Now() + max(d, 0)
	r.mu.Lock()
	r.agenda.add(at, f)
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default: // it will look anyway
	}
}

// Close ends the clock and waits for the function that runs. What is due later never runs.
func (r *Real) Close() {
	close(r.stop)
	<-r.done
}

func (r *Real) loop() {
	defer close(r.done)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-r.stop:
			return
		case <-r.wake:
		case <-timer.C:
		}
		timer.Reset(r.runDue())
	}
}

// runDue runs what is due and gives the time until the next event.
func (r *Real) runDue() time.Duration {
	for {
		r.mu.Lock()
		if r.agenda.Len() == 0 {
			r.mu.Unlock()
			return time.Hour
		}
		if wait := r.agenda.events[0].at - r.Now(); wait > 0 {
			r.mu.Unlock()
			return wait
		}
		e := heap.Pop(&r.agenda).(event)
		r.mu.Unlock()
		select {
		case <-r.stop:
			return time.Hour
		default:
		}
		e.run()
	}
}
