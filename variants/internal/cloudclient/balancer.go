package cloudclient

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/failrate/failrate/variants/internal/wire"
)

// ErrNoLiveServer says that every node failed in a way that allowed to try the next. It wraps the last failure.
var ErrNoLiveServer = errors.New("no live server is left for this request")

// Attempt is one send of the balancer.
type Attempt struct {
	Addr    string
	Failure *wire.Failure // nil when it succeeded
}

// Balancer tries nodes in turn. A node that failed is a zombie: it is tried again only after all others, and is none
// any more once it answers. (The real one also asks zombies every minute whether they are back; no run lasts so long.)
type Balancer struct {
	Sender    wire.Sender
	NextOn    wire.Fault // for updates; a query goes to the next node after any fault
	Attempts  []Attempt  // every send so far
	Failovers int        // how often it went on to a further node

	zombies map[string]bool
}

// Send tries the nodes in the order given, zombies last.
func (b *Balancer) Send(ctx context.Context, addrs []string, r wire.Request, update bool) (wire.Answer, error) {
	var last error
	for i, addr := range b.order(addrs) {
		if i > 0 {
			b.Failovers++
		}
		r.Addr = addr
		a, err := b.Sender.Send(ctx, r)
		if err == nil {
			b.Attempts = append(b.Attempts, Attempt{Addr: addr})
			delete(b.zombies, addr)
			return a, nil
		}
		f, ok := errors.AsType[*wire.Failure](err)
		if !ok {
			return wire.Answer{}, err // the request itself is at fault
		}
		b.Attempts = append(b.Attempts, Attempt{Addr: addr, Failure: f})
		if !b.movesOn(f, update) {
			if f.Fault == wire.Status {
				delete(b.zombies, addr) // it answered
			}
			return wire.Answer{}, err
		}
		if b.zombies == nil {
			b.zombies = map[string]bool{}
		}
		b.zombies[addr] = true
		last = err
	}
	if last == nil {
		return wire.Answer{}, ErrNoLiveServer
	}
	return wire.Answer{}, fmt.Errorf("%w: %w", ErrNoLiveServer, last)
}

// order puts zombies last and keeps the order otherwise.
func (b *Balancer) order(addrs []string) []string {
	var alive, dead []string
	for _, addr := range addrs {
		if b.zombies[addr] {
			dead = append(dead, addr)
		} else {
			alive = append(alive, addr)
		}
	}
	return append(alive, dead...)
}

// movesOn is the rule of the balancer. Updates are strict, because a repeated one may be applied twice.
func (b *Balancer) movesOn(f *wire.Failure, update bool) bool {
	if update {
		return f.Fault&b.NextOn != 0
	}
	if f.Fault != wire.Status {
		return true
	}
	switch f.Code {
	case http.StatusForbidden, http.StatusNotFound, http.StatusInternalServerError, http.StatusServiceUnavailable:
		return true
	}
	return false
}
