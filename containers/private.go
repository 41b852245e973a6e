package containers

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/network"
)

// private is a network of our own, which one trial or one block at a time uses.
type private struct {
	id     string
	subnet netip.Prefix // IPv4
	gate   *gate        // nil until there is one
}

// privates makes private networks, and keeps those that nobody uses for the next: making one takes longer than starting
// a container.
type privates struct {
	engine *Engine
	owner  Owner
	inside bool // nothing on them reaches the world

	mu   sync.Mutex
	idle []private
}

// The places on a private network, by the number of the address in its subnet; the engine has the first, and gives others
// from the upper half.
const (
	gatePlace    = 2
	servicePlace = 10
)

// address is the n-th of the subnet.
func (p private) address(n int) string {
	a := p.subnet.Masked().Addr()
	for range n {
		a = a.Next()
	}
	return a.String()
}

func (p *privates) take(ctx context.Context) (private, error) {
	p.mu.Lock()
	if last := len(p.idle) - 1; last >= 0 {
		n := p.idle[last]
		p.idle = p.idle[:last]
		p.mu.Unlock()
		return n, nil
	}
	p.mu.Unlock()
	var err error
	for range 5 { // between our two steps somebody else may take the subnet
		var n private
		if n, err = p.make(ctx); err == nil || ctx.Err() != nil {
			return n, err
		}
	}
	return private{}, err
}

func (p *privates) give(n private) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, n)
}

// make makes a network twice: the engine knows which subnets are free, but lets a container have an address of its
// choice, by which a healed one is found again, only where the subnet was asked for.
func (p *privates) make(ctx context.Context) (private, error) {
	found, err := p.create(ctx, network.IPAMConfig{})
	if err != nil {
		return private{}, err
	}
	seen, err := call(ctx, p.engine, "inspect network", func(ctx context.Context) (network.Inspect, error) {
		return p.engine.cli.NetworkInspect(ctx, found, network.InspectOptions{})
	})
	if err = errors.Join(err, p.engine.removeNetwork(ctx, found)); err != nil {
		return private{}, err
	}
	for _, c := range seen.IPAM.Config {
		subnet, err := netip.ParsePrefix(c.Subnet)
		if err != nil || !subnet.Addr().Is4() || subnet.Bits() > 24 {
			continue
		}
		subnet = subnet.Masked()
		id, err := p.create(ctx, network.IPAMConfig{Subnet: subnet.String(), IPRange: upper(subnet).String(), Gateway: private{subnet: subnet}.address(1)})
		return private{id: id, subnet: subnet}, err
	}
	return private{}, fmt.Errorf("make a network: the engine chose no IPv4 subnet of at least 256 addresses")
}

// upper is the upper half of a subnet.
func upper(s netip.Prefix) netip.Prefix {
	a := s.Addr().As4()
	a[s.Bits()/8] |= 0x80 >> (s.Bits() % 8)
	return netip.PrefixFrom(netip.AddrFrom4(a), s.Bits()+1)
}

func (p *privates) create(ctx context.Context, c network.IPAMConfig) (string, error) {
	options := network.CreateOptions{Driver: "bridge", Internal: p.inside, Labels: labelled(p.owner.labels(), kindNetwork, nil)}
	if c.Subnet != "" {
		options.IPAM = &network.IPAM{Config: []network.IPAMConfig{c}}
	}
	name := newName(kindNetwork)
	made, err := call(ctx, p.engine, "create network", func(ctx context.Context) (network.CreateResponse, error) {
		return p.engine.cli.NetworkCreate(ctx, name, options)
	})
	if err != nil {
		return "", errors.Join(err, p.engine.removeNetwork(ctx, name)) // it may have been made without our hearing of it
	}
	return made.ID, nil
}

// close removes the networks that nobody uses.
func (p *privates) close(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for _, n := range p.idle {
		if n.gate != nil {
			errs = append(errs, n.gate.close(ctx))
		}
		errs = append(errs, p.engine.removeNetwork(ctx, n.id))
	}
	p.idle = nil
	return errors.Join(errs...)
}

// removeNetwork removes a network by id or name. Like discard, it heeds no cancellation.
func (e *Engine) removeNetwork(ctx context.Context, id string) error {
	patience := e.deadline
	if ctx.Err() != nil {
		patience = min(patience, stopPatience)
	}
	_, err := callFor(context.WithoutCancel(ctx), patience, "remove network", func(ctx context.Context) (struct{}, error) {
		err := e.cli.NetworkRemove(ctx, id)
		if isGone(err) {
			err = nil
		}
		return struct{}{}, err
	})
	return err
}

// endpoint is a container's place on a network; nil where the engine chooses it.
func endpoint(mode container.NetworkMode, address, alias string) *network.NetworkingConfig {
	if address == "" {
		return nil
	}
	return &network.NetworkingConfig{EndpointsConfig: map[string]*network.EndpointSettings{string(mode): placed(address, alias)}}
}

func placed(address, alias string) *network.EndpointSettings {
	s := &network.EndpointSettings{IPAMConfig: &network.EndpointIPAMConfig{IPv4Address: address}}
	if alias != "" {
		s.Aliases = []string{alias}
	}
	return s
}
