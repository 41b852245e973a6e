package campaign

import (
	"context"
	"sync"

	"github.com/failrate/failrate/harness/plan"
	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
	"github.com/failrate/failrate/stress"
)

// loads holds the stress levels of the trials that run. Trials at once share a level's workers, so that two trials at
// once are not twice the stress; a level with bursts is held for each trial alone, as each announces its own moment.
type loads struct {
	mu     sync.Mutex
	level  stress.Level
	shared *stress.Load
	users  int
}

// held is the load around one attempt.
type held struct {
	load *stress.Load
	mark stress.Mark
	end  func() error
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
		h.end = func() error { _, err := h.load.Stop(); return err }
	} else {
		h.load, err = r.loads.take(ctx, level)
		h.end = r.loads.give
	}
	if err != nil {
		return nil, err
	}
	if h.mark, err = h.load.Mark(); err != nil {
		_ = h.end() // the load is gone: that is the error to tell
		return nil, err
	}
	return h, nil
}

// release ends the attempt's load and puts what was achieved on the observation. A load that was not held to the end
// makes the attempt a fault: its stratum would be another one.
func (h *held) release(obs *trial.Observation) {
	got, err := h.load.Since(h.mark)
	endErr := h.end()
	if err == nil {
		err = endErr
	}
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

// take gives the shared load of a level, which it starts when nobody holds it.
func (l *loads) take(ctx context.Context, level stress.Level) (*stress.Load, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.users == 0 {
		started, err := stress.Start(context.WithoutCancel(ctx), level, stress.Options{})
		if err != nil {
			return nil, err
		}
		l.shared, l.level = started, level
	}
	l.users++
	return l.shared, nil
}

// give lets go of the shared load; the last one ends it.
func (l *loads) give() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.users--
	if l.users > 0 {
		return nil
	}
	_, err := l.shared.Stop()
	l.shared = nil
	return err
}

func levelOf(s study.Stress) stress.Level {
	return stress.Level{
		CPU: s.CPU, Workers: s.Workers, Duty: s.Duty, Burst: s.Burst, Place: stress.Place(s.Place),
		Quota: stress.Quota{CPUs: s.Quota},
	}
}
