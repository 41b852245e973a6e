package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/failrate/failrate/harness/steps"
	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
)

// Host is a platform on which services run.
type Host interface {
	// Open makes room for services that live together. Nothing runs in it yet.
	Open(ctx context.Context, a Ask) (Room, error)
	// Same tells what a service of a variant runs: two with the same text and the same study.Service are alike.
	Same(variant string, s study.Service) string
}

// Ask says what a room is for.
type Ask struct {
	ID       string          // of the attempt or the block, for people
	Variant  string          // chooses the tree or the image
	Services []study.Service // with places left in their texts
	Act      Act
}

// Act carries out what a subject asks for.
type Act func(ctx context.Context, action steps.Action, service string) error

// Room is where services run: their addresses, the way to act on them, and their private network where there is one.
// Its methods are not called at the same time for the same service, except for Probe and Ended.
type Room interface {
	Place() Place
	// Start starts a service that does not run, with its output going to out. The channel gives how it ended, once.
	Start(ctx context.Context, name string, out io.Writer) (ended <-chan string, err error)
	// Act carries out every action but start. Kill and stop return when the service has ended.
	Act(ctx context.Context, action steps.Action, name string) error
	// Probe asks once whether the service answers as Ready says, its log left aside; nil means that it does.
	Probe(ctx context.Context, name string, r study.Ready) error
	// Ended reports whether a service has ended, though Start's channel may not have given it yet.
	Ended(ctx context.Context, name string) bool
	// Close ends what runs and leaves nothing.
	Close(ctx context.Context) error
}

// Place is what subjects and services are told of a room.
type Place struct {
	Services map[string]string // study.Service.PortName → host:port
	Control  string            // FAILRATE_CONTROL
	Network  string            // trial.Request.Network
	Hosts    []string          // trial.Request.Hosts
}

// Executor runs attempts with the services that they need. Make it with New and Close it after the last attempt and
// before the executor inside.
type Executor struct {
	inner  trial.Executor
	host   Host
	shared shared
	now    func() time.Time

	mu   sync.Mutex
	left []error // of rooms that could not be closed while the campaign ran
}

// New makes an executor around another one of the same platform.
func New(inner trial.Executor, h Host) *Executor {
	return &Executor{inner: inner, host: h, now: time.Now}
}

// Execute runs one attempt. See trial.Executor.
func (x *Executor) Execute(ctx context.Context, r trial.Request) trial.Observation {
	if len(r.Services) == 0 {
		return x.inner.Execute(ctx, r)
	}
	o := trial.Observation{Started: x.now(), Exit: -1}
	if ctx.Err() != nil {
		o.Stopped = true
		return o
	}
	o, err := x.execute(ctx, r, o)
	if err == nil {
		return o
	}
	o.Exit, o.Signal, o.Death = -1, "", ""
	if ctx.Err() != nil {
		o.Stopped = true
		return o
	}
	o.Stopped, o.Fault = false, trial.OneLine(err.Error())
	return o
}

func (x *Executor) execute(ctx context.Context, r trial.Request, o trial.Observation) (trial.Observation, error) {
	g, err := x.join(ctx, r)
	if err != nil {
		return o, err
	}
	logs, err := g.keepLogs(r)
	if err == nil {
		err = g.start(ctx)
	}
	if err == nil {
		o, err = x.beside(ctx, g, r)
	}
	x.leave(ctx, r, g) // before the logs: what a service says while it ends belongs to the trial
	return o, errors.Join(err, g.endLogs(logs))
}

// errDied is why the subject is ended when a service has.
var errDied = errors.New("a service has ended")

// beside runs the subject while the services run.
func (x *Executor) beside(ctx context.Context, g *group, r trial.Request) (trial.Observation, error) {
	inner, cancel := context.WithCancelCause(ctx)
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-g.dead:
			cancel(errDied)
		case <-inner.Done():
		}
	})
	o := x.inner.Execute(inner, told(r, g.room.Place()))
	cancel(nil)
	watch.Wait()
	if ctx.Err() != nil {
		return o, nil
	}
	if o.Exit != 0 {
		g.awaitDeath(ctx)
	}
	m, died := g.died(ctx)
	if !died {
		return o, nil
	}
	if m.service.Death == study.DeathFail {
		o.Stopped, o.Fault = false, ""
		o.Death = trial.OneLine(fmt.Sprintf("service %s ended before the subject did: %s", m.service.Name, m.how))
		return o, nil
	}
	return o, fmt.Errorf("service %s ended before the subject did: %s%s", m.service.Name, m.how, m.out.said())
}

// EndBlock ends the services that trials of a block shared. See campaign.BlockEnder.
func (x *Executor) EndBlock(ctx context.Context, block string) {
	for _, g := range x.shared.take(block) {
		x.close(ctx, g)
	}
}

// Close ends whatever still runs.
func (x *Executor) Close() error {
	for _, g := range x.shared.all() {
		x.close(context.Background(), g)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return errors.Join(x.left...)
}

// close ends a group's services. What the trials were is known by then, so a failure is no fault of theirs.
func (x *Executor) close(ctx context.Context, g *group) {
	if err := g.close(ctx); err != nil {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.left = append(x.left, fmt.Errorf("end services: %w", err))
	}
}
