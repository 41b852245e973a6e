package service

import (
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
)

// loopback is where native services listen.
const loopback = "127.0.0.1"

// ports hands out TCP ports of the loopback address on which nobody listens. A service binds its port itself and later,
// so nobody can hold it for the service: the ports are taken from below those that operating systems give to
// connections, at random, and one that was handed out is not handed out again while it is in use.
type ports struct {
	mu   sync.Mutex
	used map[int]bool
}

// The ports that are handed out: above what daemons usually take, below 32768, where Linux begins to give ports to
// connections; macOS begins at 49152.
const (
	firstPort = 20000
	afterPort = 32000
	portTries = 1000
)

func (p *ports) take() (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for range portTries {
		n := firstPort + rand.IntN(afterPort-firstPort)
		if p.used[n] {
			continue
		}
		l, err := net.Listen("tcp", net.JoinHostPort(loopback, strconv.Itoa(n)))
		if err != nil {
			continue
		}
		if err := l.Close(); err != nil {
			return 0, err
		}
		if p.used == nil {
			p.used = map[int]bool{}
		}
		p.used[n] = true
		return n, nil
	}
	return 0, errors.New("found no free port on the loopback address")
}

func (p *ports) give(list ...int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range list {
		delete(p.used, n)
	}
}
