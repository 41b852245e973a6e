package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/failrate/failrate/harness/trial"
)

// interrupts turns signals into what a campaign understands. The first INT or HUP drains: nothing further starts, what
// runs is let end. TERM ends what runs with a short grace. A second INT ends it at once.
type interrupts struct {
	drain  chan struct{}
	ctx    context.Context
	cancel context.CancelCauseFunc

	mu   sync.Mutex
	seen int
	done chan struct{}
	in   chan os.Signal
}

// watchSignals starts listening; stop ends it.
func watchSignals(ctx context.Context, say func(string)) *interrupts {
	i := &interrupts{drain: make(chan struct{}), done: make(chan struct{}), in: make(chan os.Signal, 8)}
	i.ctx, i.cancel = context.WithCancelCause(ctx)
	signal.Notify(i.in, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		defer close(i.done)
		for s := range i.in {
			i.take(s, say)
		}
	}()
	return i
}

func (i *interrupts) take(s os.Signal, say func(string)) {
	i.mu.Lock()
	i.seen++
	first := i.seen == 1
	i.mu.Unlock()
	if first {
		close(i.drain)
	}
	switch {
	case s == syscall.SIGTERM:
		say("terminated: ending what runs")
		i.cancel(context.Canceled)
	case first:
		say("interrupted: waiting for what runs; once more ends it at once")
	default:
		say("interrupted again: ending what runs at once")
		i.cancel(trial.ErrKillNow)
	}
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
