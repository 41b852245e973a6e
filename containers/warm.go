package containers

import (
	"context"
	"sync"

	"github.com/docker/docker/api/types/container"

	"github.com/failrate/failrate/containers/agent"
	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
)

// pool holds the warm containers that no attempt is using.
type pool struct {
	mu   sync.Mutex
	idle map[warmKey][]*link
}

// warmKey is what a warm container is made for: attempts that differ in it cannot share one.
type warmKey struct {
	image  string
	limits study.Limits
}

func (p *pool) take(k warmKey) *link {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.idle[k]
	if len(list) == 0 {
		return nil
	}
	l := list[len(list)-1]
	p.idle[k] = list[:len(list)-1]
	return l
}

func (p *pool) give(k warmKey, l *link) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.idle == nil {
		p.idle = map[warmKey][]*link{}
	}
	p.idle[k] = append(p.idle[k], l)
}

// empty takes all containers out.
func (p *pool) empty() (links []*link) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, list := range p.idle {
		links = append(links, list...)
	}
	p.idle = nil
	return links
}

// inWarm runs the attempt in a container that earlier attempts may have used. After a fault the container goes, as
// nobody knows what state it is in.
func (x *Executor) inWarm(ctx context.Context, a *attempt, img Image, o *trial.Observation) (agent.Result, error) {
	k := warmKey{img.ID, a.limits}
	l := x.warm.take(k)
	if l == nil {
		var err error
		s := x.spec(kindWarm, img, a)
		s.network = container.NetworkMode(x.options.Network)
		if l, err = x.engine.open(ctx, s, newName(kindWarm), nil); err != nil {
			return agent.Result{}, err
		}
		if err := l.awaitHello(ctx); err != nil {
			x.remove(ctx, l)
			return agent.Result{}, err
		}
	}
	o.Started = x.options.Now()
	res, err := a.run(ctx, l, false)
	if err != nil {
		err = x.explain(ctx, l, err, o)
	}
	if err != nil || res.Fault != "" {
		x.remove(ctx, l)
		return res, err
	}
	x.warm.give(k, l)
	return res, nil
}
