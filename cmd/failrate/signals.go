package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/failrate/failrate/harness/trial"
)

// interrupts turns signals into what a run understands. While subjects are prepared, any of INT, HUP and TERM ends that
// at once: there is nothing to save. Once the campaign runs, the first INT or HUP drains: nothing further starts, what
// runs is let end. TERM ends what runs with a short grace. A second INT ends it at once.
type interrupts struct {
	drain  chan struct{}
	ctx    context.Context
	cancel context.CancelCauseFunc
	say    func(string)

	mu      sync.Mutex
	seen    int
	running bool // the campaign has begun
	done    chan struct{}
	in      chan os.Signal
}

// watchSignals starts listening; stop ends it. A HUP that we were started to ignore, as by nohup, goes on to be ignored:
// this must be called before anything else listens to it.
func watchSignals(ctx context.Context, say func(string)) *interrupts {
	i := &interrupts{drain: make(chan struct{}), say: say, done: make(chan struct{}), in: make(chan os.Signal, 8)}
	i.ctx, i.cancel = context.WithCancelCause(ctx)
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	signal.Notify(i.in, signals...)
	go func() {
		defer close(i.done)
		for s := range i.in {
			i.take(s)
		}
	}()
	return i
}

func (i *interrupts) take(s os.Signal) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.seen++
	first := i.seen == 1
	if first {
		close(i.drain)
	}
	switch {
	case !i.running:
		if first {
			i.say("interrupted: ending the preparation; nothing was measured")
		}
		i.cancel(context.Canceled)
	case s == syscall.SIGTERM:
		i.say("terminated: ending what runs")
		i.cancel(context.Canceled)
	case first:
		i.say("interrupted: waiting for what runs; once more ends it at once")
	default:
		i.say("interrupted again: ending what runs at once")
		i.cancel(trial.ErrKillNow)
	}
}

// begin says that everything is prepared and the campaign runs from here on. It gives false when a signal came before.
func (i *interrupts) begin() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.running = i.seen == 0
	return i.running
}

// before is the error of a run that ended with err before its campaign began: a signal is the better reason, when one came.
func (i *interrupts) before(err error) error {
	if i.signalled() {
		return fail(exitInterrupted, "the same command begins again", "interrupted before the first trial")
	}
	return err
}

// signalled reports whether any signal came.
func (i *interrupts) signalled() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.seen > 0
}

func (i *interrupts) stop() {
	signal.Stop(i.in)
	close(i.in)
	<-i.done
	i.cancel(nil)
}
