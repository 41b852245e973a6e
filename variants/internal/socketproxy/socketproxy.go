// Package socketproxy is a TCP proxy on the loopback that can be cut, paused and reopened on the same port: a network
// partition in front of one server.
//
// It takes the target's address and gives a Proxy with an address of its own. It passes bytes on as they come and never
// looks into them. The order of a cut matters for the race that is measured on top of it: each connection is closed on
// the client's side, then on the server's, and the listener last; when Cut returns, nothing is accepted any more.
// CutBusy closes the listener first.
//
// The port is below the range that the kernel gives to outgoing connections. Otherwise a client that connects to the
// port while nobody listens may be given that same port as its own and be connected to itself.
package socketproxy

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// How says how a cut ends the connections.
type How string

// The kinds of cut.
const (
	FIN   How = "fin" // the orderly end: what the client writes next is still accepted by its kernel, once
	Reset How = "rst" // the abrupt end: the client's next write fails
)

// Proxy passes connections on to its target until it is cut. Create it with Open, end it with Close.
type Proxy struct {
	target   string
	port     *port
	received atomic.Int64 // bytes read from clients
	work     sync.WaitGroup

	mu       sync.Mutex
	listener net.Listener  // nil while cut
	bridges  []*bridge     // in the order in which they were accepted
	gate     chan struct{} // while paused: closed when the pause ends; nil otherwise
}

// Open starts a proxy for the target, host:port, on a free port of the loopback.
func Open(target string) (*Proxy, error) {
	held, err := holdPort()
	if err != nil {
		return nil, fmt.Errorf("proxy for %s: %w", target, err)
	}
	p := &Proxy{target: target, port: held}
	if err := p.Reopen(); err != nil {
		held.release()
		return nil, err
	}
	return p, nil
}

// Addr is the proxy's own host:port. It stays the same for the proxy's life.
func (p *Proxy) Addr() string { return p.port.addr() }

// Received counts the bytes read from clients since Open. When it equals what the clients wrote, nothing is unread:
// closing a socket with unread bytes would send a reset in place of a FIN.
func (p *Proxy) Received() int64 { return p.received.Load() }

// Cut ends every connection and then the listener, and says how many connections it ended. What a pause held back
// is dropped. Cutting a proxy that is cut does nothing.
func (p *Proxy) Cut(how How) (int, error) {
	listener, bridges := p.shut()
	if listener == nil {
		return 0, nil
	}
	for _, b := range bridges {
		b.cut(how)
	}
	return len(bridges), listener.Close()
}

// CutBusy is Cut for a proxy whose clients are sending: the listener goes first. A client that hears of its cut would
// otherwise connect again through the listener that is still open, and be cut again, several times over.
func (p *Proxy) CutBusy(how How) (int, error) {
	listener, bridges := p.shut()
	if listener == nil {
		return 0, nil
	}
	err := listener.Close()
	for _, b := range bridges {
		b.cut(how)
	}
	return len(bridges), err
}

// shut takes everything that a cut has to end; from now on no connection is bridged.
func (p *Proxy) shut() (net.Listener, []*bridge) {
	p.mu.Lock()
	defer p.mu.Unlock()
	listener, bridges := p.listener, p.bridges
	p.listener, p.bridges = nil, nil // the gate stays: until the bridges are over, nothing may slip through
	return listener, bridges
}

// Pause holds back everything: bytes that clients write are accepted by the kernel, at most one buffer of them is
// read, and nothing reaches the target until Resume.
func (p *Proxy) Pause() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gate == nil {
		p.gate = make(chan struct{})
	}
}

// Resume ends a pause; what was held back goes on.
func (p *Proxy) Resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gate != nil {
		close(p.gate)
		p.gate = nil
	}
}

// Reopen listens again on the same port, not paused. A proxy that is open stays as it is. The port may have been taken in between
// where the system cannot hold it; then Reopen tries for about a second before it gives an error.
func (p *Proxy) Reopen() error {
	p.mu.Lock()
	open := p.listener != nil
	p.mu.Unlock()
	if open {
		return nil
	}
	p.work.Wait() // for what the cut ended
	var err error
	for wait := time.Millisecond; wait < time.Second; wait *= 2 {
		var l net.Listener
		if l, err = p.port.listen(); err == nil {
			p.mu.Lock()
			p.listener, p.gate = l, nil
			p.mu.Unlock()
			p.work.Go(func() { p.accept(l) })
			return nil
		}
		if !errors.Is(err, syscall.EADDRINUSE) {
			break
		}
		time.Sleep(wait)
	}
	return fmt.Errorf("reopen the proxy on %s: %w", p.Addr(), err)
}

// Close cuts the proxy if it is open, waits for everything it started, and gives the port back.
func (p *Proxy) Close() error {
	_, err := p.Cut(FIN)
	p.work.Wait()
	p.port.release()
	return err
}

// accept bridges each connection until its listener is closed.
func (p *Proxy) accept(l net.Listener) {
	for {
		near, err := l.Accept()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			time.Sleep(time.Millisecond) // out of descriptors, or the client is gone again
			continue
		}
		b := &bridge{proxy: p, near: near.(*net.TCPConn), ended: make(chan struct{})}
		p.mu.Lock()
		stale := p.listener != l // accepted while being cut
		if !stale {
			p.bridges = append(p.bridges, b)
		}
		p.mu.Unlock()
		if stale {
			near.Close()
			continue
		}
		p.work.Go(b.run)
	}
}

// forget takes a bridge that ended by itself off the list.
func (p *Proxy) forget(b *bridge) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, x := range p.bridges {
		if x == b {
			p.bridges = append(p.bridges[:i:i], p.bridges[i+1:]...)
			return
		}
	}
}

// paused gives the channel to wait on, nil when the proxy runs.
func (p *Proxy) paused() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.gate
}
