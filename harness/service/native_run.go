package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"time"

	"github.com/failrate/failrate/harness/steps"
	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
	"github.com/failrate/failrate/harness/trial/process"
)

// nativeRun is one run of a service's process, from its start to its end.
type nativeRun struct {
	process *process.Process
	ctx     context.Context
	stop    context.CancelCauseFunc
	done    chan struct{}
}

// Start starts the service's process.
func (r *nativeRoom) Start(_ context.Context, name string, out io.Writer) (<-chan string, error) {
	n := r.services[name]
	if len(n.service.Command) == 0 {
		return nil, errors.New("it has an image and no command, so it runs in containers only")
	}
	places, env := Own(n.service, loopback, n.ports, r.place.Services)
	told := Place{Services: r.place.Services} // services do not act on each other
	env = process.Environ(Environ(n.service, places), append(append(env, Variables(told)...), "PWD="+r.tree, "TMPDIR="+n.temp)...)
	args := Fill(n.service.Command, places)
	path, err := process.LookUp(args[0], r.tree, env)
	if err != nil {
		return nil, err
	}
	p, err := r.session.Start(process.Command{Path: path, Args: args, Dir: r.tree, Env: env, Log: out})
	if err != nil {
		return nil, err
	}
	run := &nativeRun{process: p, done: make(chan struct{})}
	run.ctx, run.stop = context.WithCancelCause(context.Background())
	ended := make(chan string, 1)
	go func() {
		defer close(run.done)
		exit, err := p.Wait(run.ctx, process.Limits{Stop: endPatience, AtOnce: trial.ErrKillNow})
		ended <- describe(exit, err)
	}()
	n.mu.Lock()
	n.run = run
	n.mu.Unlock()
	return ended, nil
}

func describe(e process.Exit, err error) string {
	switch {
	case err != nil:
		return err.Error()
	case e.Signal != "":
		return "by " + e.Signal
	}
	return fmt.Sprintf("exit status %d", e.Status)
}

// running gives the service's latest run; nil when it was never started.
func (n *nativeService) running() *nativeRun {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.run
}

// end asks the process to end, ends it when it does not within the grace, and waits until its whole tree is gone.
func (run *nativeRun) end(ctx context.Context, grace time.Duration) {
	if errors.Is(context.Cause(ctx), trial.ErrKillNow) || grace <= 0 {
		run.stop(trial.ErrKillNow)
		<-run.done
		return
	}
	run.stop(nil)
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case <-run.done:
		return
	case <-late.C:
	case <-killed(ctx):
	}
	run.process.Kill()
	<-run.done
}

// killed is closed when ctx ends by ErrKillNow; nil when it has ended in another way already.
func killed(ctx context.Context) <-chan struct{} {
	if ctx.Err() != nil {
		return nil
	}
	return ctx.Done()
}

// Act carries out an action.
func (r *nativeRoom) Act(ctx context.Context, action steps.Action, name string) error {
	n := r.services[name]
	run := n.running()
	switch action {
	case steps.Cut, steps.Heal:
		if len(n.forwards) == 0 {
			return errors.New("natively it can be cut off only when the study says cut: drop or cut: reset")
		}
		for _, f := range n.forwards {
			if action == steps.Cut {
				f.cut()
			} else {
				f.heal()
			}
		}
	case steps.Pause:
		return run.process.Suspend()
	case steps.Resume:
		return run.process.Resume()
	case steps.Kill:
		run.end(ctx, 0)
	case steps.Stop:
		run.end(ctx, endPatience)
	case steps.Start:
		return errors.New("start is not for a room")
	}
	return nil
}

// Probe asks the process itself, past the forwarder.
func (r *nativeRoom) Probe(ctx context.Context, name string, ready study.Ready) error {
	n := r.services[name]
	i := slices.Index(n.service.Ports, ready.Port)
	if i < 0 {
		return fmt.Errorf("port %d is not among its ports", ready.Port)
	}
	return probe(ctx, net.JoinHostPort(loopback, strconv.Itoa(n.ports[i])), ready)
}

// Ended asks the kernel.
func (r *nativeRoom) Ended(_ context.Context, name string) bool {
	run := r.services[name].running()
	if run == nil {
		return true
	}
	select {
	case <-run.done:
		return true
	default:
		return run.process.Ended()
	}
}
