package stress

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// until calls try until it gives true.
func until(t *testing.T, try func() bool) {
	t.Helper()
	for began := time.Now(); !try(); {
		if time.Since(began) > deadline {
			t.Fatal("waited in vain")
		}
	}
}

func start(t *testing.T, level Level, o Options) *Load {
	t.Helper()
	l, err := Start(t.Context(), level, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = l.Stop() })
	return l
}

func since(t *testing.T, l *Load, m Mark) Achieved {
	t.Helper()
	a, err := l.Since(m)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func gone(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

func TestLoadIsHeldMeasuredAndEnded(t *testing.T) {
	t.Parallel()
	l := start(t, Level{Workers: 3}, Options{})
	pid := l.PID()
	if gone(pid) {
		t.Fatal("no process holds the load")
	}
	m, err := l.Mark()
	if err != nil {
		t.Fatal(err)
	}
	until(t, func() bool {
		a := since(t, l, m)
		return *a.WorkerCores*a.Wall.Seconds() > 0.02
	})
	a, err := l.Stop()
	if err != nil {
		t.Fatal(err)
	}
	if !gone(pid) {
		t.Errorf("process %d is left", pid)
	}
	if a.Asked != "workers 3" || a.Workers != 3 || a.Wall <= 0 {
		t.Errorf("achieved %+v", a)
	}
	if a.WorkerCores == nil || *a.WorkerCores <= 0 || *a.WorkerCores > 3.5 {
		t.Errorf("worker cores %v, want above 0 and at most about 3", a.WorkerCores)
	}
	if a.Bursts != nil || a.Throttled != nil {
		t.Errorf("bursts %v and throttling %v of a level that has neither", a.Bursts, a.Throttled)
	}
	if again, err := l.Stop(); err != nil || again != a {
		t.Errorf("a second Stop gives %+v, %v, not the same again", again, err)
	}
	if _, err := l.Mark(); err == nil {
		t.Error("a mark of a load that has ended gives no error")
	}
}

func TestLoadEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	l, err := Start(ctx, Level{Workers: 1, Duty: 0.2}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	until(t, func() bool { return gone(l.PID()) })
	a, err := l.Stop()
	if err != nil || a.WorkerCores == nil {
		t.Errorf("Stop after the context's end gives %+v, %v", a, err)
	}
}

func TestStartWithAnEndedContext(t *testing.T) {
	t.Parallel()
	why := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if l, err := Start(ctx, Level{Workers: 1}, Options{}); !errors.Is(err, why) {
		if err == nil {
			_, _ = l.Stop()
		}
		t.Errorf("error %v, want %v", err, why)
	}
}

func TestDeadWorkersAreAnError(t *testing.T) {
	t.Parallel()
	l := start(t, Level{Workers: 1}, Options{})
	m, err := l.Mark()
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(l.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	var a Achieved
	until(t, func() bool { a, err = l.Since(m); return err != nil })
	if a.WorkerCores != nil {
		t.Errorf("worker cores %v of dead workers, want unknown", *a.WorkerCores)
	}
	a, err = l.Stop()
	if err == nil || !strings.Contains(err.Error(), `stress level "workers 1" was not held`) || !strings.Contains(err.Error(), "killed") {
		t.Errorf("error %v does not say that the load was not held, and why", err)
	}
	if a.WorkerCores == nil {
		t.Error("what the kernel billed the dead workers is not given")
	}
}

func TestLevelsWithoutWorkersHereOnlyMeasure(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		level Level
		cores bool // worker cores are known to be 0
	}{
		{Level{}, true},
		{Level{Quota: Quota{CPUs: 0.5}}, true},
		{Level{CPU: 2, Burst: true, Place: Inside}, false},
	} {
		l := start(t, c.level, Options{})
		a, err := l.Stop()
		if err != nil || l.PID() != 0 || a.Workers != 0 || a.Bursts != nil {
			t.Errorf("%v: process %d, achieved %+v, %v", c.level, l.PID(), a, err)
		}
		if known := a.WorkerCores != nil; known != c.cores || known && *a.WorkerCores != 0 {
			t.Errorf("%v: worker cores %v", c.level, a.WorkerCores)
		}
	}
}

func TestBurstBeginsAndEndsWithItsFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "burst")
	l := start(t, Level{Workers: 2, Burst: true}, Options{Burst: file, Window: time.Hour})
	before := since(t, l, l.begin)
	if before.Bursts == nil || before.Bursts.Count != 0 {
		t.Fatalf("bursts %v before the file is there", before.Bursts)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	until(t, func() bool { // busy for longer than a start can take
		a := since(t, l, l.begin)
		return a.Bursts.Count == 1 && a.Bursts.Time > 0 && *a.WorkerCores*a.Wall.Seconds() > 0.05
	})
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	var last time.Duration
	until(t, func() bool { // over when its length stands still
		now := since(t, l, l.begin).Bursts.Time
		stands := now == last
		last = now
		return stands
	})
	if err := os.WriteFile(file, []byte("now"), 0o600); err != nil {
		t.Fatal(err)
	}
	until(t, func() bool { return since(t, l, l.begin).Bursts.Count == 2 })
}

func TestBurstEndsWithItsWindow(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "burst")
	const window = 5 * time.Millisecond
	l := start(t, Level{Workers: 1, Burst: true}, Options{Burst: file, Window: window})
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	until(t, func() bool { a := since(t, l, l.begin); return a.Bursts.Count > 0 && a.Bursts.Time >= window })
	a := since(t, l, l.begin)
	until(t, func() bool { b := since(t, l, l.begin); same := *b.Bursts == *a.Bursts; a = b; return same })
}

func TestStartRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		level Level
		o     Options
		want  string
	}{
		{"a bad level", Level{CPU: -1}, Options{}, "cpu -1"},
		{"too many workers", Level{CPU: 64}, Options{Cores: 1 << 20}, "at most 4096"},
		{"a burst without a file", Level{CPU: 1, Burst: true}, Options{}, `burst file ""`},
		{"a burst in no folder", Level{CPU: 1, Burst: true}, Options{Burst: "/nowhere/at/all"}, "/nowhere/at"},
		{"no such program", Level{CPU: 1}, Options{Program: "/nowhere/worker"}, "/nowhere/worker"},
		{"a program that is no worker", Level{CPU: 1}, Options{Program: "/bin/echo"}, "does the program's main call stress.RunWorker"},
		{"a program that complains", Level{CPU: 1}, Options{Program: "/bin/ls"}, "(it ended by exit status"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l, err := Start(t.Context(), c.level, c.o)
			if err == nil {
				_, _ = l.Stop()
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

// TestAWorkerStartsNoWorker: a program that forgot to call RunWorker would start itself without end.
func TestAWorkerStartsNoWorker(t *testing.T) {
	t.Setenv(markVariable, "1")
	if l, err := Start(t.Context(), Level{Workers: 1}, Options{}); err == nil {
		_, _ = l.Stop()
		t.Error("a worker's process can start a further one")
	}
}

func TestAchievedTellsUnknownFromZero(t *testing.T) {
	t.Parallel()
	zero := 0.0
	got, err := json.Marshal([]Achieved{{Asked: "none"}, {Asked: "cpu 1x", Workers: 1, WorkerCores: &zero, Bursts: &Bursts{}}})
	if err != nil {
		t.Fatal(err)
	}
	const want = `[{"asked":"none","workers":0,"wall_ns":0},` +
		`{"asked":"cpu 1x","workers":1,"wall_ns":0,"worker_cores":0,"bursts":{"count":0,"time_ns":0}}]`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestKilledHarnessLeavesNoWorker(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ level, env string }{
		{"workers 4", ""},
		{"workers 2 duty 10%", ""},
		{"workers 2 burst", BurstVariable + "=" + filepath.Join(t.TempDir(), "burst")},
	} {
		t.Run(c.level, func(t *testing.T) {
			t.Parallel()
			f := startFamily(t, c.level, c.env)
			if gone(f.worker) {
				t.Fatal("no worker to begin with")
			}
			if err := f.holder.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			f.waitGone(t)
		})
	}
}

// TestWorkerEndsWithItsInput is the one of the two means that every system has.
func TestWorkerEndsWithItsInput(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0], append([]string{workerArgument}, Level{Workers: 2}.WorkerArgs(0)...)...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// TestThrottlingOfAWindow: what a cgroup had before the load is not counted.
func TestThrottlingOfAWindow(t *testing.T) {
	t.Parallel()
	group := t.TempDir()
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(group, "cpu.stat"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("nr_periods 10\nnr_throttled 4\nthrottled_usec 100\n")
	l := start(t, Level{}, Options{Cgroup: group})
	write("nr_periods 30\nnr_throttled 9\nthrottled_usec 350\n")
	a, err := l.Stop()
	if want := (Throttled{Periods: 20, Throttled: 5, Time: 250 * time.Microsecond}); err != nil || a.Throttled == nil || *a.Throttled != want {
		t.Errorf("throttled %+v, %v, want %+v", a.Throttled, err, want)
	}
	gone := start(t, Level{}, Options{Cgroup: filepath.Join(group, "gone")})
	if a, err := gone.Stop(); err != nil || a.Throttled != nil {
		t.Errorf("throttled %+v, %v of a group that is not there, want unknown", a.Throttled, err)
	}
}

func BenchmarkStartStop(b *testing.B) {
	for _, workers := range []int{1, 4} {
		b.Run(Level{Workers: workers}.String(), func(b *testing.B) {
			for b.Loop() {
				l, err := Start(b.Context(), Level{Workers: workers}, Options{})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := l.Stop(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSince(b *testing.B) {
	for _, level := range []Level{{Workers: 1, Duty: 0.0001}, {CPU: 2}} {
		b.Run(level.String(), func(b *testing.B) {
			l, err := Start(b.Context(), level, Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer l.Stop()
			for b.Loop() {
				if _, err := l.Since(l.begin); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
