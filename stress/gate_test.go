package stress

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestGateCountsBursts(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	type step struct {
		at    time.Duration
		touch bool
	}
	for _, c := range []struct {
		name   string
		steps  []step
		now    time.Duration
		count  int
		length time.Duration
	}{
		{"no burst", nil, 100 * ms, 0, 0},
		{"removed before there was any", []step{{5 * ms, false}}, 100 * ms, 0, 0},
		{"going on", []step{{10 * ms, true}}, 15 * ms, 1, 5 * ms},
		{"ended by its window", []step{{10 * ms, true}}, 100 * ms, 1, 30 * ms},
		{"ended by removal", []step{{10 * ms, true}, {12 * ms, false}}, 100 * ms, 1, 2 * ms},
		{"removed after its window", []step{{10 * ms, true}, {50 * ms, false}}, 100 * ms, 1, 30 * ms},
		{"touched twice", []step{{10 * ms, true}, {20 * ms, true}}, 100 * ms, 1, 40 * ms},
		{"two bursts", []step{{10 * ms, true}, {12 * ms, false}, {20 * ms, true}, {25 * ms, false}}, 100 * ms, 2, 7 * ms},
		{"two windows", []step{{10 * ms, true}, {60 * ms, true}}, 100 * ms, 2, 60 * ms},
		{"the second going on", []step{{10 * ms, true}, {60 * ms, true}}, 61 * ms, 2, 31 * ms},
	} {
		g := newGate(30 * ms)
		for _, s := range c.steps {
			if s.touch {
				g.touch(s.at)
			} else {
				g.remove(s.at)
			}
		}
		if count, length := g.bursts(c.now); count != c.count || length != c.length {
			t.Errorf("%s: %d bursts of %v, want %d of %v", c.name, count, length, c.count, c.length)
		}
	}
}

func TestGateWakesEveryWorker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		now := func() time.Duration { return time.Since(start) }
		g := newGate(time.Second)
		const workers = 3
		woken := make(chan struct{}, workers)
		for range workers {
			go func() {
				g.wait(now)
				woken <- struct{}{}
			}()
		}
		synctest.Wait()
		if len(woken) != 0 {
			t.Fatalf("%d workers did not wait for a burst", len(woken))
		}
		g.touch(now())
		synctest.Wait()
		if len(woken) != workers {
			t.Errorf("%d of %d workers were woken", len(woken), workers)
		}
		g.wait(now) // the burst is going on: no waiting
	})
}

func TestSteadyGateIsAlwaysOpen(t *testing.T) {
	t.Parallel()
	g := newGate(0)
	g.wait(func() time.Duration { return 1000 * time.Hour })
	if n, length := g.bursts(time.Hour); n != 0 || length != 0 {
		t.Errorf("a steady load has %d bursts of %v", n, length)
	}
}
