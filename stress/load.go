package stress

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"time"
)

// Options are where and how a level is held. The zero value holds it by this program on this machine's cores.
type Options struct {
	Burst   string        // path of the burst file, in a folder that exists; needed by a level with Burst that is held here
	Window  time.Duration // length of a burst after the last touch; 0 means DefaultWindow
	Cores   int           // cores that Level.CPU is multiplied by; 0 means those that this process may use
	Cgroup  string        // folder of the cgroup whose throttling is wanted; empty means none
	Program string        // a program whose main calls RunWorker; empty means this one
	Proc    string        // folder of the machine's counters; empty means /proc
}

// Load is a level that is held. It is safe for use by several goroutines.
type Load struct {
	level   Level
	workers int
	process *process // nil when nothing is held here
	cgroup  string
	machine *counters
	begin   Mark

	unhook func() bool
	finish sync.Once
	result Achieved
	err    error
}

// Mark is the counters at one moment of a Load: the start of a window.
type Mark struct {
	at       time.Time
	usage    usage
	machine  machine
	throttle Throttled
	counted  bool // throttle is known
}

// Start begins to hold the level, and the load is there when it returns: the workers run, or for bursts watch. The
// load ends with ctx or by Stop, whichever comes first; call Stop in any case. A level that has no workers here (none,
// a quota alone, or Inside) starts nothing, and gives the machine's counters all the same.
func Start(ctx context.Context, level Level, o Options) (*Load, error) {
	l, err := newLoad(level, o)
	if err != nil {
		return nil, err
	}
	if l.workers > 0 {
		program, name := o.Program, o.Program
		if program == "" {
			name = os.Args[0]
			if program, err = ownProgram(); err != nil {
				return nil, fmt.Errorf("start stress worker: find this program: %w", err)
			}
		}
		if l.process, err = launch(ctx, program, l.argv(name, o)); err != nil {
			return nil, err
		}
	}
	l.machine = openCounters(cmp.Or(o.Proc, "/proc"))
	if l.begin, err = l.Mark(); err != nil {
		l.stop()
		return nil, err
	}
	l.unhook = context.AfterFunc(ctx, l.stop)
	return l, nil
}

func newLoad(level Level, o Options) (*Load, error) {
	if err := level.Validate(); err != nil {
		return nil, err
	}
	l := &Load{level: level, cgroup: o.Cgroup}
	if level.Place == Inside {
		return l, nil
	}
	if l.workers = level.Count(o.cores()); l.workers > maxWorkers {
		return nil, fmt.Errorf("stress level %q means %d workers on %d cores; at most %d are possible", level, l.workers, o.cores(), maxWorkers)
	}
	if level.Burst && !filepath.IsAbs(o.Burst) {
		return nil, fmt.Errorf("stress level %q: burst file %q is not an absolute path", level, o.Burst)
	}
	return l, nil
}

func (o Options) cores() int {
	if o.Cores > 0 {
		return o.Cores
	}
	return runtime.NumCPU()
}

// argv is the command line of the workers' process.
func (l *Load) argv(name string, o Options) []string {
	argv := append([]string{name, workerArgument}, l.level.WorkerArgs(o.Window)...)
	argv = append(argv, "-serve", "-cores="+strconv.Itoa(o.cores()))
	if l.level.Burst {
		argv = append(argv, "-burst="+o.Burst)
	}
	return argv
}

// PID is the process id of the workers' process, for whoever must not take it for a leftover; 0 when there is none.
func (l *Load) PID() int {
	if l.process == nil {
		return 0
	}
	return l.process.cmd.Process.Pid
}

// Mark begins a window inside the load. An error means that the load is no longer held.
func (l *Load) Mark() (Mark, error) {
	m := Mark{at: time.Now()}
	var err error
	if l.process != nil {
		m.usage, err = l.process.usage()
	}
	m.machine = l.machine.read()
	if l.cgroup != "" {
		t, err := ReadThrottle(l.cgroup)
		m.throttle, m.counted = t, err == nil // a cgroup that is gone, or has no quota, is unknown
	}
	return m, err
}

// Since gives the load achieved since a Mark of this Load; several windows may overlap. With an error the load was not
// held to the window's end, and what the workers did is unknown.
func (l *Load) Since(m Mark) (Achieved, error) {
	now, err := l.Mark()
	a := l.between(m, now)
	if err != nil {
		a.WorkerCores, a.Bursts = nil, nil
	}
	return a, err
}

// between is the load of the window from one mark to another.
func (l *Load) between(from, to Mark) Achieved {
	wall := to.at.Sub(from.at)
	a := Achieved{
		Asked: l.level.String(), Workers: l.workers, Wall: wall,
		BusyShare: to.machine.busyShare(from.machine),
		Pressure:  to.machine.pressureShare(from.machine, wall),
	}
	if l.level.Place != Inside {
		cores := to.usage.cores(from.usage)
		a.WorkerCores = &cores
	}
	if l.level.Burst && l.workers > 0 {
		a.Bursts = &Bursts{Count: to.usage.bursts - from.usage.bursts, Time: to.usage.bursting - from.usage.bursting}
	}
	if from.counted && to.counted {
		t := to.throttle.Since(from.throttle)
		a.Throttled = &t
	}
	return a
}

// Stop ends the load and gives what was achieved from the return of Start until then, or until the context ended. When
// it returns no worker is left. Further calls give the same again. An error means that the workers ended too early, so
// that the load was not held; what the kernel billed them is given all the same.
func (l *Load) Stop() (Achieved, error) {
	l.unhook()
	l.stop()
	return l.result, l.err
}

func (l *Load) stop() {
	l.finish.Do(func() {
		now, err := l.Mark()
		if l.process != nil {
			billed := l.process.end()
			if err != nil {
				err = fmt.Errorf("stress level %q was not held: %w%s", l.level, err, l.process.why())
				now.usage.cpu, now.usage.at = billed, l.begin.usage.at+now.at.Sub(l.begin.at)
			}
		}
		l.machine.close()
		l.result, l.err = l.between(l.begin, now), err
		if err != nil {
			l.result.Bursts = nil
		}
	})
}
