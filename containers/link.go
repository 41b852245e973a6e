package containers

import (
	"context"
	"errors"
	"net"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/container"

	"github.com/failrate/failrate/containers/agent"
)

// link is a running container and the connection to its agent. One goroutine uses it at a time.
type link struct {
	engine *Engine
	id     string
	keep   bool
	conn   net.Conn
	frames *demux
	buf    []byte
	seq    int // of the latest attempt
	hello  agent.Hello
}

// open creates a container, attaches to it and starts it, in this order, so that nothing it says is missed. Between
// creating and starting it calls before, unless that is nil. When it fails, the container is gone again.
func (e *Engine) open(ctx context.Context, s spec, name string, before func(ctx context.Context, id string) error) (*link, error) {
	made, err := call(ctx, e, "create container", func(ctx context.Context) (container.CreateResponse, error) {
		return e.cli.ContainerCreate(ctx, s.config(), s.host(), endpoint(s.network, s.address, ""), nil, name)
	})
	if err != nil {
		return nil, errors.Join(err, e.discard(ctx, name)) // it may have been created without our hearing of it
	}
	l := &link{engine: e, id: made.ID, keep: s.keep}
	if before != nil {
		err = before(ctx, l.id)
	}
	if err == nil {
		err = l.attach(ctx)
	}
	if err == nil {
		err = l.start(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, l.remove(ctx))
	}
	return l, nil
}

func (l *link) start(ctx context.Context) error {
	_, err := call(ctx, l.engine, "start container", func(ctx context.Context) (struct{}, error) {
		return struct{}{}, l.engine.cli.ContainerStart(ctx, l.id, container.StartOptions{})
	})
	return err
}

func (l *link) attach(ctx context.Context) error {
	h, err := call(ctx, l.engine, "attach to container", func(ctx context.Context) (types.HijackedResponse, error) {
		slot := &connSlot{}
		defer context.AfterFunc(ctx, slot.close)()
		return l.engine.cli.ContainerAttach(context.WithValue(ctx, connKey{}, slot), l.id,
			container.AttachOptions{Stream: true, Stdin: true, Stdout: true, Stderr: true})
	})
	if err != nil {
		return err
	}
	l.conn = h.Conn
	l.frames = &demux{from: h.Reader}
	return nil
}

// awaitExit waits for the end of a container whose agent exits by itself. One that is gone has ended.
func (l *link) awaitExit(ctx context.Context) error {
	_, err := call(ctx, l.engine, "wait for container", func(ctx context.Context) (struct{}, error) {
		stopped, failed := l.engine.cli.ContainerWait(ctx, l.id, container.WaitConditionNotRunning)
		select {
		case <-stopped:
			return struct{}{}, nil
		case err := <-failed:
			return struct{}{}, err
		}
	})
	if errdefs.IsNotFound(err) {
		return nil
	}
	return err
}

// close ends the connection, and with it the agent's stdin.
func (l *link) close() error {
	if l.conn == nil {
		return nil
	}
	return l.conn.Close()
}

// remove ends the container and waits until it is gone.
func (l *link) remove(ctx context.Context) error {
	_ = l.close() // it may be closed already
	return l.engine.discard(ctx, l.id)
}

// discard removes a container by id or name, running or not, with its anonymous volumes. One that is not there is
// no error. It heeds no cancellation, because what it leaves stays; only the deadline bounds it.
func (e *Engine) discard(ctx context.Context, id string) error {
	patience := e.deadline
	if ctx.Err() != nil {
		patience = min(patience, stopPatience)
	}
	_, err := callFor(context.WithoutCancel(ctx), patience, "remove container", func(ctx context.Context) (struct{}, error) {
		err := e.cli.ContainerRemove(ctx, id, container.RemoveOptions{Force: true, RemoveVolumes: true})
		if errdefs.IsConflict(err) { // it is being removed already
			err = e.awaitRemoval(ctx, id)
		}
		if errdefs.IsNotFound(err) {
			err = nil
		}
		return struct{}{}, err
	})
	return err
}

func (e *Engine) awaitRemoval(ctx context.Context, id string) error {
	gone, failed := e.cli.ContainerWait(ctx, id, container.WaitConditionRemoved)
	select {
	case <-gone:
		return nil
	case err := <-failed:
		return err
	}
}

func isGone(err error) bool { return errdefs.IsNotFound(err) }
