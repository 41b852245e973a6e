package service

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/failrate/failrate/harness/study"
)

// forwarder stands natively between a port of a service and whoever talks to it, so that the service can be cut off.
//
// Cut by drop, nothing passes in either direction, and connections stay open: what was sent meanwhile waits, and arrives
// after heal, as what TCP sends again after a short cut of the wire does. A new connection is made, since the operating
// system does that, and nothing answers on it. Cut by reset, connections are reset, and new ones at once.
//
// A service that does not listen resets whoever connects, where a direct connection would be refused.
type forwarder struct {
	listener *net.TCPListener
	target   string
	mode     study.CutMode

	mu     sync.Mutex
	healed chan struct{} // closed by heal; nil while it is not cut
	over   chan struct{}
	life   context.Context // ends with over
	end    context.CancelFunc
	conns  map[*net.TCPConn]bool
	work   sync.WaitGroup
}

// acceptPause is how long a forwarder waits when it can take no connection.
const acceptPause = 5 * time.Millisecond

func newForwarder(target string, mode study.CutMode) (*forwarder, error) {
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.ParseIP(loopback)})
	if err != nil {
		return nil, err
	}
	f := &forwarder{listener: l, target: target, mode: mode, over: make(chan struct{}), conns: map[*net.TCPConn]bool{}}
	f.life, f.end = context.WithCancel(context.Background())
	f.work.Go(f.accept)
	return f, nil
}

func (f *forwarder) address() string { return f.listener.Addr().String() }

func (f *forwarder) accept() {
	for {
		c, err := f.listener.AcceptTCP()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // such as no more files: a later one may do better, and asking at once would only be load
			select {
			case <-f.over:
			case <-time.After(acceptPause):
			}
			continue
		}
		if !f.keep(c) {
			continue
		}
		f.work.Go(func() { f.carry(c) })
	}
}

// keep takes a connection into the set of those that a cut resets; false when it was reset at once.
func (f *forwarder) keep(c *net.TCPConn) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	select {
	case <-f.over:
		reset(c)
		return false
	default:
	}
	if f.healed != nil && f.mode == study.CutReset {
		reset(c)
		return false
	}
	f.conns[c] = true
	return true
}

func (f *forwarder) forget(c *net.TCPConn) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.conns, c)
}

// pass waits until something may go through; false when it never will.
func (f *forwarder) pass() bool {
	f.mu.Lock()
	healed := f.healed
	f.mu.Unlock()
	if healed != nil {
		select {
		case <-healed:
		case <-f.over:
		}
	}
	select {
	case <-f.over:
		return false
	default:
		return true
	}
}

// carry joins a client to the service until both have ended what they say.
func (f *forwarder) carry(client *net.TCPConn) {
	defer f.forget(client)
	if !f.pass() {
		reset(client)
		return
	}
	conn, err := (&net.Dialer{}).DialContext(f.life, "tcp", f.target)
	server, ok := conn.(*net.TCPConn)
	if err != nil || !ok || !f.keep(server) {
		reset(client)
		return
	}
	defer f.forget(server)
	var both sync.WaitGroup
	both.Go(func() { f.copy(client, server) })
	f.copy(server, client)
	both.Wait()
	_ = client.Close()
	_ = server.Close()
}

// copy carries one direction. What ends one side's connection badly ends the other side's so too.
func (f *forwarder) copy(to, from *net.TCPConn) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if !f.pass() {
			return
		}
		if n > 0 {
			if _, werr := to.Write(buf[:n]); werr != nil {
				reset(from)
				return
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			_ = to.CloseWrite()
			return
		case errors.Is(err, syscall.ECONNRESET):
			reset(to)
			return
		case err != nil:
			_ = to.Close()
			return
		}
	}
}

func (f *forwarder) cut() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.healed == nil {
		f.healed = make(chan struct{})
	}
	if f.mode == study.CutReset {
		for c := range f.conns {
			reset(c)
		}
	}
}

func (f *forwarder) heal() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.healed != nil {
		close(f.healed)
		f.healed = nil
	}
}

// close ends every connection and waits for all that the forwarder does.
func (f *forwarder) close() error {
	f.mu.Lock()
	close(f.over)
	f.end()
	for c := range f.conns {
		reset(c)
	}
	f.mu.Unlock()
	err := f.listener.Close()
	f.work.Wait()
	return err
}

// reset closes a connection so that the other side sees a reset.
func reset(c *net.TCPConn) {
	_ = c.SetLinger(0)
	_ = c.Close()
}
