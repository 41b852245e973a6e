package socketproxy

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"syscall"
)

// The ports that a proxy may use: above the well-known ones, below the first port that Linux (32768) and macOS (49152)
// give to outgoing connections.
const (
	firstPort = 10240
	lastPort  = 32767
)

// port is a port of the loopback that one proxy uses for its whole life, also while nobody listens on it.
type port struct {
	number int
	claim  claim
}

// holdPort finds a free port. The search starts at a random one, so that proxies that are opened at the same time do
// not follow each other; a port that is in use is passed over.
func holdPort() (*port, error) {
	const span = lastPort - firstPort + 1
	start := rand.IntN(span)
	var last error
	for i := range span {
		p := &port{number: firstPort + (start+i)%span}
		if last = p.hold(); last == nil {
			return p, nil
		}
		if !errors.Is(last, syscall.EADDRINUSE) && !errors.Is(last, syscall.EACCES) {
			break
		}
	}
	return nil, fmt.Errorf("no free port from %d to %d on the loopback: %w", firstPort, lastPort, last)
}

// hold claims the port and proves that it can be listened on.
func (p *port) hold() error {
	if err := p.claim.take(p.number); err != nil {
		return err
	}
	l, err := p.listen()
	if err != nil {
		p.release()
		return err
	}
	return l.Close()
}

func (p *port) addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(p.number)) }

func (p *port) listen() (net.Listener, error) {
	c := net.ListenConfig{Control: shareWithClaim}
	return c.Listen(context.Background(), "tcp4", p.addr())
}

func (p *port) release() { p.claim.drop() }
