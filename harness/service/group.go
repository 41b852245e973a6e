package service

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/failrate/failrate/harness/study"
)

// group is services that live together: those of a trial or of a block.
type group struct {
	room    Room
	members []*member
	block   bool // lives for a block
	users   int  // trials that use it; guarded by shared

	life     context.Context // ends with the group
	cancel   context.CancelFunc
	watchers sync.WaitGroup

	begin sync.Once
	begun error // why it did not start

	mu    sync.Mutex
	spent bool          // no further trial may use it
	over  bool          // it is being ended: services may end
	first *member       // the first one that died
	dead  chan struct{} // closed then
}

// member is one service of a group.
type member struct {
	service study.Service
	out     output

	acting sync.Mutex // one action at a time

	mu      sync.Mutex // guards the rest
	gone    chan struct{}
	running bool
	wanted  bool // its end is what an action asked for
	how     string
	cut     bool
	paused  bool
}

func newGroup(services []study.Service) *group {
	g := &group{dead: make(chan struct{})}
	g.life, g.cancel = context.WithCancel(context.Background())
	for _, s := range services {
		g.members = append(g.members, &member{service: s})
	}
	return g
}

func (g *group) find(name string) (*member, error) {
	for _, m := range g.members {
		if m.service.Name == name {
			return m, nil
		}
	}
	return nil, fmt.Errorf("%w %.40q", errUnknown, name)
}

// start starts all services, in the study's order, and waits until all are ready: they may need each other for that.
// The first trial that needs them does it, and others wait.
func (g *group) start(ctx context.Context) error {
	g.begin.Do(func() {
		if g.begun = g.startAll(ctx); g.begun != nil {
			g.spend()
		}
	})
	return g.begun
}

func (g *group) startAll(ctx context.Context) error {
	for _, m := range g.members {
		if err := g.launch(ctx, m); err != nil {
			return err
		}
	}
	all, ctx := errgroup.WithContext(ctx)
	for _, m := range g.members {
		all.Go(func() error { return g.ready(ctx, m) })
	}
	return all.Wait()
}

// launch starts one service and watches for its end.
func (g *group) launch(ctx context.Context, m *member) error {
	m.out.expect(m.service.Ready.Log)
	ended, err := g.room.Start(ctx, m.service.Name, &m.out)
	if err != nil {
		return fmt.Errorf("service %s could not be started: %w%s", m.service.Name, err, m.out.said())
	}
	gone := make(chan struct{})
	m.mu.Lock()
	m.running, m.wanted, m.paused, m.gone = true, false, false, gone
	m.mu.Unlock()
	g.watchers.Go(func() {
		defer close(gone)
		how := <-ended
		m.mu.Lock()
		m.running, m.how = false, how
		wanted := m.wanted
		m.mu.Unlock()
		if !wanted {
			g.mourn(m)
		}
	})
	return nil
}

// mourn notes that a service ended though nobody asked it to.
func (g *group) mourn(m *member) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.over || g.first != nil {
		return
	}
	g.first, g.spent = m, true
	close(g.dead)
}

// died gives the service that ended though nobody asked it to, if there is one. It is called when the subject has ended,
// perhaps by what the service's end did to it, before the end of the service was noticed.
func (g *group) died(ctx context.Context) (*member, bool) {
	for _, m := range g.members {
		m.mu.Lock()
		running, wanted, gone := m.running, m.wanted, m.gone
		m.mu.Unlock()
		if running && !wanted && g.room.Ended(ctx, m.service.Name) {
			select {
			case <-gone:
			case <-ctx.Done():
			}
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.first, g.first != nil
}

// deathPatience is what a service gets to be seen dead after a subject that did not succeed: an operating system closes a
// process's connections some time before it says that the process has ended, and the subject may end by that.
const deathPatience = 250 * time.Millisecond

func (g *group) awaitDeath(ctx context.Context) {
	late := time.NewTimer(deathPatience)
	defer late.Stop()
	select {
	case <-g.dead:
	case <-late.C:
	case <-ctx.Done():
	}
}

func (g *group) spend() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.spent = true
}

func (g *group) isSpent() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.spent
}

// close ends all services and waits for everything of the group.
func (g *group) close(ctx context.Context) error {
	g.mu.Lock()
	g.over, g.spent = true, true
	g.mu.Unlock()
	g.cancel() // and with it actions that are under way
	err := g.room.Close(ctx)
	g.watchers.Wait()
	return err
}

// errUnknown says that a subject named a service that its study does not have.
var errUnknown = errors.New("there is no service")

// errGone says that a service ended while it was waited for.
var errGone = errors.New("it ended")
