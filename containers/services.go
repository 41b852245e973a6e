package containers

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"sync"

	"github.com/failrate/failrate/harness/service"
	"github.com/failrate/failrate/harness/study"
)

// ServiceOptions says what services run in. Engine and Images are needed.
type ServiceOptions struct {
	Engine  *Engine
	Images  map[string]Image                   // by variant: a command of the subject's tree runs in its image
	Service map[string]map[string]ServiceImage // by variant and service: the image of a service that names one
	Network study.Network                      // none means that the private networks lead nowhere else
	Owner   Owner                              // goes on the labels of all that is made
}

// ServiceImage is an image as it is.
type ServiceImage struct {
	ID  string
	Err error // why it is not there
}

// Services runs services as containers: those of a trial or block on a private network of their own, which the subject's
// container joins, each with an address and a name that stay the same however it is cut off, ended and started again.
//
// A service that names an image runs it as it is, with the image's user and the engine's own limits; the study's limits are
// the subject's. A cut takes the container off the network: connections stay open and stall, and new ones find no host,
// which its neighbours notice after some seconds.
type Services struct {
	options  ServiceOptions
	networks privates
}

var _ service.Host = (*Services)(nil)

// NewServices makes the host. Close it after the executor around it.
func NewServices(o ServiceOptions) *Services {
	return &Services{options: o, networks: privates{engine: o.Engine, owner: o.Owner, inside: o.Network != study.NetworkBridge}}
}

// Close removes the networks and their gates.
func (h *Services) Close() error { return h.networks.close(context.Background()) }

// ServiceImage finds, pulls or builds the image of a service.
func (e *Engine) ServiceImage(ctx context.Context, o PrepareOptions) (ServiceImage, string, error) {
	b, err := e.base(ctx, o.complete())
	if err == nil && b.id == "" {
		err = errors.New("scratch is no image that a service could run")
	}
	return ServiceImage{ID: b.id, Err: err}, b.digest, err
}

// imageOf is what a service of a variant runs.
func (h *Services) imageOf(variant string, s study.Service) (id string, err error) {
	if s.Image.Name == "" && s.Image.Build == "" {
		i := h.options.Images[variant]
		return i.ID, i.Err
	}
	i := h.options.Service[variant][s.Name]
	if i.ID == "" && i.Err == nil {
		return "", fmt.Errorf("the image of service %s was not prepared", s.Name)
	}
	return i.ID, i.Err
}

// Same is the image.
func (h *Services) Same(variant string, s study.Service) string {
	id, _ := h.imageOf(variant, s) // what cannot run is told when it is started
	return id
}

// Open takes a network, and puts a gate on it that has none.
func (h *Services) Open(ctx context.Context, a service.Ask) (service.Room, error) {
	r := &room{host: h, services: map[string]*served{}, ask: a}
	for i, s := range a.Services {
		image, err := h.imageOf(a.Variant, s)
		if err != nil {
			return nil, fmt.Errorf("service %s: %w", s.Name, err)
		}
		r.services[s.Name] = &served{service: s, image: image, number: servicePlace + i}
	}
	n, err := h.networks.take(ctx)
	if err != nil {
		return nil, err
	}
	r.network = n
	r.life, r.end = context.WithCancel(context.Background())
	r.place = service.Place{Network: n.id, Services: map[string]string{}}
	for _, s := range a.Services {
		v := r.services[s.Name]
		v.address = n.address(v.number)
		r.place.Hosts = append(r.place.Hosts, s.Name+":"+v.address)
		for _, port := range s.Ports {
			r.place.Services[s.PortName(port)] = net.JoinHostPort(s.Name, strconv.Itoa(port))
		}
	}
	if n.gate != nil && !n.gate.sound() { // somebody ended it since its last use
		if err := n.gate.close(ctx); err != nil {
			return nil, errors.Join(err, r.Close(ctx))
		}
		n.gate, r.network.gate = nil, nil
	}
	if n.gate == nil {
		if r.network.gate, err = h.openGate(ctx, n, h.options.Images[a.Variant].Holder); err != nil {
			return nil, errors.Join(err, r.Close(ctx))
		}
	}
	r.place.Control = r.network.gate.bind(a.Act)
	return r, nil
}

// room is services that live together on a private network.
type room struct {
	host     *Services
	ask      service.Ask
	network  private
	place    service.Place
	services map[string]*served
	life     context.Context
	end      context.CancelFunc
	work     sync.WaitGroup
}

// served is one service and its container.
type served struct {
	service study.Service
	image   string
	number  int // of its address
	address string

	mu        sync.Mutex
	container string // id; empty before it was made
	ended     bool   // the latest run has
}

func (r *room) Place() service.Place { return r.place }

// Probe has the gate ask.
func (r *room) Probe(ctx context.Context, name string, ready study.Ready) error {
	return r.network.gate.probe(ctx, net.JoinHostPort(r.services[name].address, strconv.Itoa(ready.Port)), ready)
}

// Close removes all containers side by side, and gives the network back.
func (r *room) Close(ctx context.Context) error {
	errs := make([]error, len(r.services), len(r.services)+1)
	var all sync.WaitGroup
	for i, name := range slices.Sorted(maps.Keys(r.services)) {
		all.Go(func() { errs[i] = r.services[name].remove(ctx, r.host.options.Engine) })
	}
	sound := r.network.gate == nil || r.network.gate.release() // while they end: it may be starting one
	all.Wait()
	if !sound {
		errs = append(errs, r.network.gate.close(ctx))
		r.network.gate = nil
	}
	r.end()
	r.work.Wait()
	err := errors.Join(errs...)
	if err != nil { // something is still on it
		if r.network.gate != nil {
			err = errors.Join(err, r.network.gate.close(ctx))
		}
		return errors.Join(err, r.host.options.Engine.removeNetwork(ctx, r.network.id))
	}
	r.host.networks.give(r.network)
	return nil
}

func (v *served) remove(ctx context.Context, e *Engine) error {
	v.mu.Lock()
	id := v.container
	v.mu.Unlock()
	if id == "" {
		return nil
	}
	return e.discard(ctx, id)
}
