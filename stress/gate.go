package stress

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// gate says when workers are busy: always, or from a touch of the burst file until its removal or the window's end.
// Times are since the process's start. It is safe for use by several goroutines.
type gate struct {
	window time.Duration
	until  atomic.Int64 // the end of the current burst; read by busy workers without a lock

	mu     sync.Mutex
	wake   *sync.Cond
	from   time.Duration // the start of the current or last burst
	count  int
	before time.Duration // length of all bursts before the current or last one
}

// newGate makes a closed gate; a window of 0 makes one that is always open.
func newGate(window time.Duration) *gate {
	g := &gate{window: window}
	g.wake = sync.NewCond(&g.mu)
	if window == 0 {
		g.until.Store(math.MaxInt64)
	}
	return g
}

// end is when the current burst ends, in the past when there is none.
func (g *gate) end() time.Duration { return time.Duration(g.until.Load()) }

// touch begins a burst, or moves the end of the one that is going on.
func (g *gate) touch(now time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if now >= g.end() {
		g.before += g.end() - g.from
		g.from = now
		g.count++
	}
	g.until.Store(int64(now + g.window))
	g.wake.Broadcast()
}

// remove ends the burst that is going on.
func (g *gate) remove(now time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if now < g.end() {
		g.until.Store(int64(now))
	}
}

// wait blocks until a burst is going on.
func (g *gate) wait(now func() time.Duration) {
	if now() < g.end() {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for now() >= g.end() {
		g.wake.Wait()
	}
}

// bursts gives the number of bursts so far, and their length up to now.
func (g *gate) bursts(now time.Duration) (int, time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.count == 0 {
		return 0, 0
	}
	return g.count, g.before + min(now, g.end()) - g.from
}
