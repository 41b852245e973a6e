package campaign

import (
	"cmp"
	"context"
	"sync"

	"github.com/failrate/failrate/harness/plan"
	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
	"github.com/failrate/failrate/stress"
)

// loads holds the stress level of the trials that run, from the first of them until the level changes: starting the
// workers takes longer than a short trial. Trials at once share a level's workers, so that two trials at once are not
// twice the stress; a level with bursts is held for each trial alone, as each announces its own moment.
type loads struct {
	mu     sync.Mutex
	shared *stress.Load // nil when none is held
}

// held is the load around one attempt.
type held struct {
	load *stress.Load
	mark stress.Mark
	end  func(err error) error // takes what a reading said, and gives why the load was not held
}

// hold begins an attempt's load, or prepares the request when the load is held in the trial's container.
func (r *runner) hold(ctx context.Context, t plan.Trial, req *trial.Request) (*held, error) {
	s, err := r.cfg.Study.Level(t.Cell.Stress)
	if err != nil {
		return nil, err
	}
	level := levelOf(s)
	if level.Place == stress.Inside && !level.None() {
		req.Inside = &trial.InsideLoad{Args: level.WorkerArgs(0)}
	}
	h := &held{}
	if level.Burst {
		h.load, err = stress.Start(ctx, level, stress.Options{Burst: req.Out.Burst})
		h.end = func(error) error { _, err := h.load.Stop(); return err }
	} else {
		h.load, err = r.loads.take(ctx, level)
		h.end = func(err error) error { return r.loads.give(h.load, err) }
	}
	if err != nil {
		return nil, err
	}
	if h.mark, err = h.load.Mark(); err != nil {
		return nil, h.end(err)
	}
	return h, nil
}

// release ends the attempt's load and puts what was achieved on the observation. A load that was not held to the end
// makes the attempt a fault: its stratum would be another one.
func (h *held) release(obs *trial.Observation) {
	got, err := h.load.Since(h.mark)
	err = cmp.Or(h.end(err), err)
	load := &trial.Load{Asked: got.Asked, Cores: got.WorkerCores, Busy: got.BusyShare, Pressure: got.Pressure}
	if obs.Load != nil { // the executor read the trial's own cgroup
		load.Periods, load.Throttled = obs.Load.Periods, obs.Load.Throttled
		if load.Cores == nil {
			load.Cores = obs.Load.Cores
		}
	}
	obs.Load = load
	if err != nil && obs.Fault == "" && !obs.Stopped {
		obs.Fault = oneLine("the stress level was not held: " + err.Error())
	}
}

// take gives the shared load of the level, which it starts when it is not held. Between two levels release is called.
func (l *loads) take(ctx context.Context, level stress.Level) (*stress.Load, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shared == nil {
		started, err := stress.Start(context.WithoutCancel(ctx), level, stress.Options{})
		if err != nil {
			return nil, err
		}
		l.shared = started
	}
	return l.shared, nil
}

// release ends the shared load. No trial may be running.
func (l *loads) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shared != nil {
		_, _ = l.shared.Stop() // whether it was held is asked at the end of every trial
		l.shared = nil
	}
}

// give takes a trial's load back. One that is no longer held as it should be is ended, so that the next trial gets a
// new one; trials that run beside find theirs gone as well.
func (l *loads) give(load *stress.Load, err error) error {
	if err == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shared == load {
		l.shared = nil
	}
	_, why := load.Stop()
	return cmp.Or(why, err)
}

func levelOf(s study.Stress) stress.Level {
	return stress.Level{
		CPU: s.CPU, Workers: s.Workers, Duty: s.Duty, Burst: s.Burst, Place: stress.Place(s.Place),
		Quota: stress.Quota{CPUs: s.Quota},
	}
}
