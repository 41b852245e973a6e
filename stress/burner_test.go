package stress

import (
	"math"
	"testing"
	"time"
)

// simulated is a thread on an imaginary machine: of the wall time in which it wants the CPU it gets a share, and its
// sleeps overrun.
type simulated struct {
	now, cpu time.Duration
	share    func(now time.Duration) float64 // nil means all of it
	late     time.Duration                   // by which each sleep overruns
	slept    int
}

func (s *simulated) Now() time.Duration { return s.now }
func (s *simulated) CPU() time.Duration { return s.cpu }

func (s *simulated) Sleep(d time.Duration) {
	s.now += d + s.late
	s.slept++
}

func (s *simulated) Spin() {
	const work = 25 * time.Microsecond
	share := 1.0
	if s.share != nil {
		share = s.share(s.now)
	}
	s.cpu += work
	s.now += time.Duration(float64(work) / share)
}

// held gives the share of the wall time that a burner used until the end.
func held(s *simulated, duty float64, end time.Duration) float64 {
	g := newGate(end)
	g.touch(0)
	b := burner{thread: s, gate: g, duty: duty}
	b.burst()
	return float64(s.cpu) / float64(s.now)
}

func always(share float64) func(time.Duration) float64 {
	return func(time.Duration) float64 { return share }
}

func TestDutyIsHeld(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		duty float64
		s    simulated
		want float64
	}{
		{"idle machine, 1 %", 0.01, simulated{}, 0.01},
		{"idle machine, 10 %", 0.1, simulated{}, 0.1},
		{"idle machine, 50 %", 0.5, simulated{}, 0.5},
		{"idle machine, 90 %", 0.9, simulated{}, 0.9},
		{"idle machine, all the time", 1, simulated{}, 1},
		{"sleeps overrun by 3 ms", 0.5, simulated{late: 3 * time.Millisecond}, 0.5},
		{"sleeps overrun by 25 ms", 0.2, simulated{late: 25 * time.Millisecond}, 0.2},
		{"gets 60 % and wants 50 %", 0.5, simulated{share: always(0.6)}, 0.5},
		{"gets 30 % and wants 50 %", 0.5, simulated{share: always(0.3)}, 0.3},
		{"gets 30 % and wants all", 1, simulated{share: always(0.3)}, 0.3},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := held(&c.s, c.duty, 10*time.Second); math.Abs(got-c.want) > 0.005 {
				t.Errorf("held %.4f, want %.4f", got, c.want)
			}
		})
	}
}

func TestFullDutyNeverSleeps(t *testing.T) {
	t.Parallel()
	s := &simulated{share: always(0.5)}
	held(s, 1, time.Second)
	if s.slept != 0 {
		t.Errorf("slept %d times", s.slept)
	}
}

// TestStarvationIsMadeUpForWithinBounds: for a second the thread gets 1 % of the CPU, then all of it.
func TestStarvationIsMadeUpForWithinBounds(t *testing.T) {
	t.Parallel()
	s := &simulated{share: func(now time.Duration) float64 {
		if now < time.Second {
			return 0.01
		}
		return 1
	}}
	got := held(s, 0.5, 10*time.Second)
	// 1 s at 1 %, then 9 s at 50 % and the debt of at most 0.1 s: (0.01 + 4.5 + 0.1) s of 10 s.
	if want := 0.461; math.Abs(got-want) > 0.005 {
		t.Errorf("held %.4f, want %.4f", got, want)
	}
}

func TestBurstStopsWithTheGate(t *testing.T) {
	t.Parallel()
	for _, duty := range []float64{1, 0.5} {
		s := &simulated{now: time.Second}
		g := newGate(33 * time.Millisecond)
		g.touch(s.now)
		b := burner{thread: s, gate: g, duty: duty}
		b.burst()
		if over := s.now - g.end(); over < 0 || over > 100*time.Microsecond {
			t.Errorf("duty %v: stopped %v after the burst", duty, over)
		}
		// The third period's share of a half duty comes before its pause: 5 + 5 + 5 + 3 ms.
		want := map[float64]time.Duration{1: 33 * time.Millisecond, 0.5: 18 * time.Millisecond}[duty]
		if off := (s.cpu - want).Abs(); off > 200*time.Microsecond {
			t.Errorf("duty %v: used %v, want %v", duty, s.cpu, want)
		}
	}
}

func TestPhaseDelaysTheFirstPeriod(t *testing.T) {
	t.Parallel()
	s := &simulated{}
	g := newGate(100 * time.Millisecond)
	g.touch(0)
	b := burner{thread: s, gate: g, duty: 0.5, phase: 5 * time.Millisecond}
	b.burst()
	if share := float64(s.cpu) / float64(s.now); math.Abs(share-0.5) > 0.05 {
		t.Errorf("held %.3f after a phase, want 0.5", share)
	}
}

// TestThreadClockCountsThisThread: the clock that closes the loop moves while this thread spins.
func TestThreadClockCountsThisThread(t *testing.T) {
	t.Parallel()
	done := make(chan time.Duration)
	go func() {
		th := lockThread(time.Now())
		before := th.CPU()
		for th.CPU()-before < 2*time.Millisecond {
			th.Spin()
		}
		done <- th.CPU()
	}()
	if cpu := <-done; cpu < 2*time.Millisecond {
		t.Errorf("the thread's clock shows %v after 2 ms of spinning", cpu)
	}
}
