package containers

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/docker/docker/api/types/container"

	"github.com/failrate/failrate/containers/agent"
	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
)

// DefaultMaxFiles bounds the bytes of records, artifacts and result files that are taken from one attempt.
const DefaultMaxFiles = 512 << 20

// Options says what attempts run in. Engine and Images are needed.
type Options struct {
	Engine    *Engine
	Images    map[string]Image         // by variant, from Prepare
	Isolation study.ContainerIsolation // empty means fresh
	Network   study.Network            // empty means none
	Limits    study.Limits             // zero fields mean no limit, and DefaultPids processes
	Owner     Owner                    // goes on the labels of every container
	MaxFiles  int64                    // bytes; 0 means DefaultMaxFiles
	Now       func() time.Time         // nil means time.Now
}

// Executor runs attempts in containers. Make it with New, and Close it after the last attempt. It is safe for use by
// several goroutines; each of them is a worker of its own.
type Executor struct {
	options  Options
	engine   *Engine
	networks networks
	warm     pool

	mu   sync.Mutex
	left []string // containers whose removal failed
}

var _ trial.Executor = (*Executor)(nil)

// New makes an executor. Nothing is started before the first attempt.
func New(o Options) *Executor {
	if o.Isolation == "" {
		o.Isolation = study.ContainerFresh
	}
	if o.Network == "" {
		o.Network = study.NetworkNone
	}
	if o.MaxFiles <= 0 {
		o.MaxFiles = DefaultMaxFiles
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Executor{options: o, engine: o.Engine}
}

// Execute runs one attempt. See trial.Executor.
func (x *Executor) Execute(ctx context.Context, r trial.Request) trial.Observation {
	o := trial.Observation{Started: x.options.Now(), Exit: -1}
	if ctx.Err() != nil {
		o.Stopped = true
		return o
	}
	err := x.execute(ctx, r, &o)
	if err == nil {
		return o
	}
	o.Exit, o.Signal = -1, ""
	if ctx.Err() != nil && !o.OOM {
		o.Stopped = true // it was ended, whatever else went wrong in doing so
		return o
	}
	o.Fault = trial.OneLine(err.Error())
	return o
}

func (x *Executor) execute(ctx context.Context, r trial.Request, o *trial.Observation) error {
	if len(r.Services) > 0 {
		return errors.New("the trial needs services, and nothing runs them here")
	}
	img, ok := x.options.Images[r.Variant]
	if !ok {
		return fmt.Errorf("variant %q has no prepared image", r.Variant)
	}
	o.Facts = maps.Clone(img.Facts)
	if img.Err != nil {
		return fmt.Errorf("prepare variant %q: %w", r.Variant, img.Err)
	}
	a, err := newAttempt(r, limited(x.options.Limits, r.Quota), x.options.MaxFiles)
	if err != nil {
		return err
	}
	var res agent.Result
	if x.options.Isolation == study.ContainerWarm && r.Network == "" { // a container on a trial's own network is of no use later
		res, err = x.inWarm(ctx, a, img, o)
	} else {
		res, err = x.inFresh(ctx, a, img, o)
	}
	if errors.Is(err, errRefused) {
		err = nil // finish knows the reason
	}
	return errors.Join(err, a.finish(res, o))
}

// inFresh runs the attempt in a container of its own.
func (x *Executor) inFresh(ctx context.Context, a *attempt, img Image, o *trial.Observation) (agent.Result, error) {
	mode, h, err := container.NetworkMode(a.request.Network), (*holder)(nil), error(nil)
	if mode == "" {
		if mode, h, err = x.networks.take(ctx, x, img); err != nil {
			return agent.Result{}, err
		}
	}
	s := x.spec(kindTrial, img, a)
	s.network, s.hosts, s.keep = mode, a.request.Hosts, true
	s.labels[labelTrial] = a.request.ID
	l, err := x.engine.open(ctx, s, newName(kindTrial), nil)
	if err != nil {
		x.networks.drop(ctx, x, h) // perhaps it is the holder that is gone
		return agent.Result{}, err
	}
	var res agent.Result
	if err = l.awaitHello(ctx); err == nil {
		o.Started = x.options.Now()
		res, err = a.run(ctx, l, true)
	}
	if err != nil {
		x.networks.drop(ctx, x, h)
		err = x.explain(ctx, l, err, o)
		x.remove(ctx, l)
		return res, err
	}
	x.networks.give(ctx, x, h, res.Packets)
	if err := l.awaitExit(ctx); err == nil && res.Signal == "SIGKILL" && !res.Limit && !res.Stopped {
		if state, err := x.state(ctx, l); err == nil { // kernels that do not count their kills tell the engine
			res.OOM = res.OOM || state.OOMKilled
		}
	}
	x.remove(ctx, l)
	return res, nil
}

// spec is what all containers of attempts have in common.
func (x *Executor) spec(kind string, img Image, a *attempt) spec {
	return spec{kind: kind, image: img.ID, limits: a.limits, labels: labelled(x.options.Owner.labels(), kind, nil)}
}

// explain finds out why the connection to a container ended.
func (x *Executor) explain(ctx context.Context, l *link, err error, o *trial.Observation) error {
	if ctx.Err() != nil || errors.Is(err, errRefused) {
		return err
	}
	state, ierr := x.state(ctx, l)
	switch {
	case isGone(ierr):
		return errors.New("the container was removed while the trial ran")
	case ierr != nil:
		return errors.Join(err, ierr)
	case state.OOMKilled:
		o.OOM = true
		return errors.New("the container ran out of memory")
	case !state.Running:
		return fmt.Errorf("%w: the container's agent ended with exit status %d%s", err, state.ExitCode, l.complaint())
	}
	return err
}

func (x *Executor) state(ctx context.Context, l *link) (container.State, error) {
	i, err := call(ctx, x.engine, "inspect container", func(ctx context.Context) (container.InspectResponse, error) {
		return x.engine.cli.ContainerInspect(ctx, l.id)
	})
	if err != nil || i.State == nil {
		return container.State{}, err
	}
	return *i.State, nil
}

// remove removes a container after its attempt. What the attempt was is known by then, so a failure is no fault of
// the attempt's; it is tried again by Close, and by any later Sweep.
func (x *Executor) remove(ctx context.Context, l *link) {
	if err := l.remove(ctx); err != nil {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.left = append(x.left, l.id)
	}
}

// Close removes the containers that are kept between attempts. No attempt may be running.
func (x *Executor) Close() error {
	ctx := context.Background()
	var errs []error
	for _, l := range append(x.networks.empty(), x.warm.empty()...) {
		errs = append(errs, l.remove(ctx))
	}
	for _, id := range x.left {
		errs = append(errs, x.engine.discard(ctx, id))
	}
	x.left = nil
	return errors.Join(errs...)
}
