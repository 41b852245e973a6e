package stress

import "time"

// period is the time over which a duty holds: short against a trial, long against a scheduler's slice.
const period = 10 * time.Millisecond

// maxDebt bounds what a worker that did not get the CPU makes up for later; without it a worker that was starved for a
// second would be busy without a pause for the next.
const maxDebt = 10 * period

// thread is what a burner needs of the operating system's thread that it runs on.
type thread interface {
	Now() time.Duration // wall time since some start, the same for all threads
	CPU() time.Duration // CPU time of this thread
	Spin()              // keeps the CPU busy for some tens of microseconds
	Sleep(time.Duration)
}

// burner keeps one thread busy for a share of the time, whenever the gate is open.
type burner struct {
	thread thread
	gate   *gate
	duty   float64       // in (0, 1]
	phase  time.Duration // sleep before the first period, so that the pauses of workers do not coincide

	owed    time.Duration // CPU time that is still to be used; below 0 after a period in which too much was
	counted time.Duration // wall time up to which owed is reckoned
	used    time.Duration // CPU time up to which owed is reckoned
}

// run burns until the process ends or, when the gate opens only for bursts, sleeps until the next one.
func (b *burner) run() {
	for {
		b.gate.wait(b.thread.Now)
		b.burst()
	}
}

// burst burns from now until the gate closes.
func (b *burner) burst() {
	b.owed, b.counted, b.used = 0, b.thread.Now(), b.thread.CPU()
	next := b.counted
	if b.phase > 0 {
		b.thread.Sleep(b.phase)
		next = b.thread.Now()
	}
	for now := next; now < b.gate.end(); now = b.thread.Now() {
		if next += period; next <= now {
			next = now + period // a delay of more than a period: no catching up with the grid
		}
		b.period(now, next)
	}
}

// period burns what is owed at the end of a period and sleeps for the rest of it. The loop is closed over the thread's
// CPU time: whatever the scheduler took or a sleep overran is in the next period's account.
func (b *burner) period(now, end time.Duration) {
	b.account(now, end)
	for {
		stop := min(end, b.gate.end())
		if now >= stop {
			return
		}
		if b.duty < 1 && b.thread.CPU()-b.used >= b.owed {
			b.thread.Sleep(stop - now)
			return
		}
		b.thread.Spin()
		now = b.thread.Now()
	}
}

// account brings owed up to date: what the duty asks for until the period's end, less what was used.
func (b *burner) account(now, end time.Duration) {
	cpu := b.thread.CPU()
	b.owed += time.Duration(b.duty*float64(end-b.counted)) - (cpu - b.used)
	b.counted, b.used = end, cpu
	b.owed = min(b.owed, maxDebt)
}
