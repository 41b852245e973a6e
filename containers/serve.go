package containers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/pkg/stdcopy"

	"github.com/failrate/failrate/containers/agent"
	"github.com/failrate/failrate/harness/service"
	"github.com/failrate/failrate/harness/steps"
)

const (
	servicePids      = 8192             // processes and threads of a service
	serviceStop      = 10 * time.Second // between TERM and KILL when a subject stops a service
	lastWordPatience = 2 * time.Second  // for output that the engine still holds after a service's end
)

// Start starts the service's container, and makes it the first time: what it wrote to its files stays there, as on a
// machine that was switched off.
func (r *room) Start(ctx context.Context, name string, out io.Writer) (<-chan string, error) {
	v, e := r.services[name], r.host.options.Engine
	v.mu.Lock()
	id := v.container
	v.mu.Unlock()
	if id == "" {
		var err error
		if id, err = r.make(ctx, v); err != nil {
			return nil, err
		}
		v.mu.Lock()
		v.container = id
		v.mu.Unlock()
	}
	said, err := e.hear(ctx, id)
	if err != nil {
		return nil, err
	}
	stopped, failed := e.cli.ContainerWait(r.life, id, container.WaitConditionNextExit)
	if err := e.do(ctx, "start container", func(ctx context.Context) error {
		return e.cli.ContainerStart(ctx, id, container.StartOptions{})
	}); err != nil {
		said.Close()
		return nil, err
	}
	v.mu.Lock()
	v.ended = false
	v.mu.Unlock()
	heard := make(chan struct{})
	r.work.Go(func() {
		defer close(heard)
		_, _ = stdcopy.StdCopy(out, out, said.Reader) // it ends with the container, or with the connection
	})
	ended := make(chan string, 1)
	r.work.Go(func() {
		defer said.Close()
		how := r.await(id, stopped, failed)
		v.mu.Lock()
		v.ended = true
		v.mu.Unlock()
		select {
		case <-heard:
		case <-time.After(lastWordPatience):
		}
		ended <- how
	})
	return ended, nil
}

// await waits for the end of a container and says what it was.
func (r *room) await(id string, stopped <-chan container.WaitResponse, failed <-chan error) string {
	select {
	case end := <-stopped:
		if end.Error != nil {
			return "the engine says: " + end.Error.Message
		}
		i, err := call(r.life, r.host.options.Engine, "inspect container", func(ctx context.Context) (container.InspectResponse, error) {
			return r.host.options.Engine.cli.ContainerInspect(ctx, id)
		})
		if err == nil && i.State != nil && i.State.OOMKilled {
			return fmt.Sprintf("out of memory, exit status %d", end.StatusCode)
		}
		return fmt.Sprintf("exit status %d", end.StatusCode)
	case err := <-failed:
		if r.life.Err() != nil {
			return "it was removed"
		}
		return fmt.Sprintf("its end could not be learnt: %v", oneLine(err))
	}
}

// make makes the container.
func (r *room) make(ctx context.Context, v *served) (string, error) {
	e := r.host.options.Engine
	config, err := r.config(ctx, v)
	if err != nil {
		return "", err
	}
	pids := int64(servicePids)
	host := &container.HostConfig{
		NetworkMode: container.NetworkMode(r.network.id), ExtraHosts: r.place.Hosts,
		LogConfig: container.LogConfig{Type: "none"}, // the output goes to the harness alone
		Resources: container.Resources{PidsLimit: &pids},
	}
	place := endpoint(host.NetworkMode, v.address, v.service.Name)
	name := newName(kindService)
	made, err := call(ctx, e, "create container", func(ctx context.Context) (container.CreateResponse, error) {
		return e.cli.ContainerCreate(ctx, config, host, place, nil, name)
	})
	if err != nil {
		return "", errors.Join(err, e.discard(ctx, name))
	}
	return made.ID, nil
}

// config is what the container runs.
func (r *room) config(ctx context.Context, v *served) (*container.Config, error) {
	s := v.service
	places, env := service.Own(s, "0.0.0.0", s.Ports, r.place.Services)
	own := service.Environ(s, places)
	c := &container.Config{
		Hostname: s.Name, Image: v.image, AttachStdout: true, AttachStderr: true,
		Labels:      labelled(r.host.options.Owner.labels(), kindService, map[string]string{labelTrial: r.ask.ID}),
		Healthcheck: &container.HealthConfig{Test: []string{"NONE"}}, // the study says what ready means
		Env:         slices.Concat(own, env, service.Variables(service.Place{Services: r.place.Services})),
	}
	if s.Image.Name != "" || s.Image.Build != "" {
		c.Entrypoint, c.Cmd = service.Fill(s.Entrypoint, places), service.Fill(s.Args, places)
		return c, nil
	}
	if len(s.Command) == 0 {
		return nil, errors.New("it has neither an image nor a command")
	}
	c.Entrypoint, c.WorkingDir = service.Fill(s.Command, places), agent.Tree
	path, err := r.path(ctx, v, own)
	c.Env = slices.DeleteFunc(c.Env, func(pair string) bool { return strings.HasPrefix(pair, "PATH=") })
	c.Env = append(c.Env, "PATH="+agent.Tree+":"+path)
	return c, err
}

// path is where programs are looked for after the tree: as the service's environment says, or its image's.
func (r *room) path(ctx context.Context, v *served, own []string) (string, error) {
	i, err := r.host.options.Engine.inspectImage(ctx, v.image)
	if err != nil {
		return "", err
	}
	path := "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
	var image []string
	if i.Config != nil {
		image = i.Config.Env
	}
	for _, pair := range slices.Concat(image, own) {
		if value, ok := strings.CutPrefix(pair, "PATH="); ok {
			path = value
		}
	}
	return path, nil
}

// hear attaches to a container's output.
func (e *Engine) hear(ctx context.Context, id string) (types.HijackedResponse, error) {
	return call(ctx, e, "attach to container", func(ctx context.Context) (types.HijackedResponse, error) {
		slot := &connSlot{}
		defer context.AfterFunc(ctx, slot.close)()
		return e.cli.ContainerAttach(context.WithValue(ctx, connKey{}, slot), id,
			container.AttachOptions{Stream: true, Stdout: true, Stderr: true})
	})
}

// do is call for what gives nothing.
func (e *Engine) do(ctx context.Context, what string, f func(context.Context) error) error {
	_, err := call(ctx, e, what, func(ctx context.Context) (struct{}, error) { return struct{}{}, f(ctx) })
	return err
}

// Act carries out an action.
func (r *room) Act(ctx context.Context, action steps.Action, name string) error {
	v, e := r.services[name], r.host.options.Engine
	v.mu.Lock()
	id := v.container
	v.mu.Unlock()
	var f func(context.Context) error
	switch action {
	case steps.Cut:
		f = func(ctx context.Context) error { return e.cli.NetworkDisconnect(ctx, r.network.id, id, true) }
	case steps.Heal:
		f = func(ctx context.Context) error {
			return e.cli.NetworkConnect(ctx, r.network.id, id, placed(v.address, v.service.Name))
		}
	case steps.Pause:
		f = func(ctx context.Context) error { return e.cli.ContainerPause(ctx, id) }
	case steps.Resume:
		f = func(ctx context.Context) error { return e.cli.ContainerUnpause(ctx, id) }
	case steps.Kill:
		f = func(ctx context.Context) error { return e.cli.ContainerKill(ctx, id, "KILL") }
	case steps.Stop:
		f = func(ctx context.Context) error {
			seconds := int(serviceStop.Seconds())
			return e.cli.ContainerStop(ctx, id, container.StopOptions{Timeout: &seconds})
		}
	case steps.Start:
		return errors.New("start is not for a room")
	}
	return e.do(ctx, string(action)+" container", f)
}

// Ended asks the engine.
func (r *room) Ended(ctx context.Context, name string) bool {
	v, e := r.services[name], r.host.options.Engine
	v.mu.Lock()
	id, ended := v.container, v.ended
	v.mu.Unlock()
	if ended || id == "" {
		return true
	}
	i, err := call(ctx, e, "inspect container", func(ctx context.Context) (container.InspectResponse, error) {
		return e.cli.ContainerInspect(ctx, id)
	})
	return isGone(err) || err == nil && i.State != nil && !i.State.Running
}
