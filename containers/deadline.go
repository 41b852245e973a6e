package containers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/failrate/failrate/harness/trial"
)

// call makes one call to the engine under its deadline. When ctx ends, the call still gets trial.StopGrace: a request
// that is given up half-way may leave a container behind that nobody knows of.
func call[T any](ctx context.Context, e *Engine, what string, do func(context.Context) (T, error)) (T, error) {
	return callFor(ctx, e.deadline, what, do)
}

func callFor[T any](ctx context.Context, d time.Duration, what string, do func(context.Context) (T, error)) (T, error) {
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), d)
	defer cancel()
	stop := context.AfterFunc(ctx, func() {
		late := time.AfterFunc(trial.StopGrace, cancel)
		context.AfterFunc(bounded, func() { late.Stop() })
	})
	defer stop()
	v, err := do(bounded)
	if err == nil {
		return v, nil
	}
	if errors.Is(bounded.Err(), context.DeadlineExceeded) {
		return v, fmt.Errorf("%s: the engine has not answered for %s", what, d)
	}
	return v, fmt.Errorf("%s: %w", what, oneLine(err))
}

// oneLine makes an error of the engine's fit one line without losing what it wraps.
func oneLine(err error) error {
	if !strings.ContainsAny(err.Error(), "\r\n") {
		return err
	}
	return flat{err}
}

type flat struct{ error }

func (f flat) Error() string { return strings.Join(strings.Fields(f.error.Error()), " ") }
func (f flat) Unwrap() error { return f.error }

// connKey is where a context carries the slot for the connection that is dialled for it.
type connKey struct{}

// connSlot holds the connection of a hijacked call. The client library waits on such a connection without heeding
// the context, so whoever gives up must close it.
type connSlot struct {
	mu   sync.Mutex
	conn net.Conn
	shut bool
}

func (s *connSlot) put(c net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conn = c
	if s.shut {
		c.Close()
	}
}

func (s *connSlot) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shut = true
	if s.conn != nil {
		s.conn.Close()
	}
}

type dialer func(ctx context.Context, network, address string) (net.Conn, error)

// tracked lets a connection be found again by the context it was dialled for.
func tracked(dial dialer) dialer {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if slot, ok := ctx.Value(connKey{}).(*connSlot); ok && err == nil {
			slot.put(c)
		}
		return c, err
	}
}

// dialTo dials the engine: a socket's path, whatever address the HTTP client makes up for it, or the address itself.
func dialTo(host string) dialer {
	d := &net.Dialer{Timeout: 30 * time.Second}
	path, ok := strings.CutPrefix(host, "unix://")
	if !ok {
		return d.DialContext
	}
	return func(ctx context.Context, _, _ string) (net.Conn, error) { return d.DialContext(ctx, "unix", path) }
}
