package service

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// How often a service is asked whether it is ready: soon at first, as many are ready at once.
const (
	firstProbe = 10 * time.Millisecond
	lastProbe  = 250 * time.Millisecond
	oneProbe   = 5 * time.Second // the most that one question may take
)

// ready waits until everything that Ready states holds.
func (g *group) ready(ctx context.Context, m *member) error {
	r := m.service.Ready
	limited, cancel := context.WithTimeoutCause(ctx, r.Timeout, errLate)
	defer cancel()
	m.mu.Lock()
	gone := m.gone
	m.mu.Unlock()
	why := error(nil)
	if r.Log != "" {
		select {
		case <-m.out.matched():
		case <-gone:
			why = errGone
		case <-limited.Done():
			why = fmt.Errorf("no line of its output matches %q", r.Log)
		}
	}
	if why == nil && (r.HTTP != "" || r.Port != 0) {
		why = g.probe(limited, m, gone)
	}
	if why == nil && !g.room.Ended(ctx, m.service.Name) {
		return nil
	}
	select {
	case <-gone:
		m.mu.Lock()
		defer m.mu.Unlock()
		return fmt.Errorf("service %s ended before it was ready: %s%s", m.service.Name, m.how, m.out.said())
	default:
	}
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("service %s was not waited for: %w", m.service.Name, context.Cause(ctx))
	case why == nil, errors.Is(why, errGone):
		return fmt.Errorf("service %s ended before it was ready%s", m.service.Name, m.out.said())
	}
	return fmt.Errorf("service %s was not ready after %v: %w%s", m.service.Name, r.Timeout, why, m.out.said())
}

var errLate = errors.New("it took too long")

// probe asks until the service answers as it should. Its error is the last answer, unless there was none in time.
func (g *group) probe(ctx context.Context, m *member, gone <-chan struct{}) error {
	var last error
	for wait := firstProbe; ; wait = min(2*wait, lastProbe) {
		once, cancel := context.WithTimeout(ctx, oneProbe)
		err := g.room.Probe(once, m.service.Name, m.service.Ready)
		cancel()
		if err == nil {
			return nil
		}
		if last == nil || ctx.Err() == nil {
			last = err
		}
		again := time.NewTimer(wait)
		select {
		case <-again.C:
		case <-gone:
			again.Stop()
			return errGone
		case <-ctx.Done():
			again.Stop()
			return last
		}
	}
}
