package service

import (
	"context"
	"fmt"

	"github.com/failrate/failrate/harness/steps"
)

// act carries out what a subject asks for. After it no other trial may use the services: they are not as they were.
func (g *group) act(ctx context.Context, action steps.Action, name string) error {
	m, err := g.find(name)
	if err != nil {
		return err
	}
	m.acting.Lock()
	defer m.acting.Unlock()
	if err := g.life.Err(); err != nil {
		return fmt.Errorf("the services are being ended")
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx)) // a client that does not wait gets what it asked for
	defer context.AfterFunc(g.life, cancel)()
	defer cancel()
	g.spend()
	switch action {
	case steps.Start:
		return g.restart(ctx, m)
	case steps.Kill, steps.Stop:
		return g.end(ctx, action, m)
	case steps.Cut:
		return g.change(ctx, action, m, &m.cut, true)
	case steps.Heal:
		return g.change(ctx, action, m, &m.cut, false)
	case steps.Pause:
		return g.change(ctx, action, m, &m.paused, true)
	case steps.Resume:
		return g.change(ctx, action, m, &m.paused, false)
	}
	return fmt.Errorf("there is no action %q", action)
}

// change does what a flag says, unless it is so already.
func (g *group) change(ctx context.Context, action steps.Action, m *member, flag *bool, to bool) error {
	m.mu.Lock()
	is, running := *flag, m.running
	m.mu.Unlock()
	if flag == &m.paused && !running {
		return fmt.Errorf("service %s does not run", m.service.Name)
	}
	if is == to {
		return nil
	}
	if err := g.room.Act(ctx, action, m.service.Name); err != nil {
		return fmt.Errorf("%s service %s: %w", action, m.service.Name, err)
	}
	m.mu.Lock()
	*flag = to
	m.mu.Unlock()
	return nil
}

// end ends a service, which is no death then.
func (g *group) end(ctx context.Context, action steps.Action, m *member) error {
	m.mu.Lock()
	running, gone := m.running, m.gone
	m.wanted = m.wanted || running
	m.mu.Unlock()
	if !running {
		return fmt.Errorf("service %s does not run", m.service.Name)
	}
	if err := g.room.Act(ctx, action, m.service.Name); err != nil {
		return fmt.Errorf("%s service %s: %w", action, m.service.Name, err)
	}
	select {
	case <-gone:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s service %s: %w", action, m.service.Name, context.Cause(ctx))
	}
}

// restart starts a service again after its end, and waits until it is ready.
func (g *group) restart(ctx context.Context, m *member) error {
	m.mu.Lock()
	running, cut := m.running, m.cut
	m.mu.Unlock()
	switch {
	case running:
		return fmt.Errorf("service %s runs already", m.service.Name)
	case cut:
		return fmt.Errorf("service %s is cut off, so nobody could tell that it is ready: heal it first", m.service.Name)
	}
	if err := g.launch(ctx, m); err != nil {
		return err
	}
	return g.ready(ctx, m)
}
