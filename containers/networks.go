package containers

import (
	"context"
	"sync"

	"github.com/docker/docker/api/types/container"

	"github.com/failrate/failrate/harness/study"
)

// networks decides in which network namespace a fresh container runs. The package comment says when it is shared.
type networks struct {
	mu   sync.Mutex
	idle []*holder
	own  bool // a trial has sent a packet: every later one gets a namespace of its own
}

// holder is a container that does nothing but hold a network namespace, which one trial at a time uses.
type holder struct {
	link    *link
	packets int64 // that the namespace has seen
}

// take gives the network mode for a container, and the holder that it means, if any.
func (n *networks) take(ctx context.Context, x *Executor, img Image) (container.NetworkMode, *holder, error) {
	if x.options.Network != study.NetworkNone {
		return container.NetworkMode(x.options.Network), nil, nil
	}
	h, own := n.pop()
	if own {
		return noNetwork, nil, nil
	}
	if h == nil {
		l, err := x.engine.serve(ctx, spec{kind: kindHolder, image: img.Holder, network: noNetwork,
			labels: labelled(x.options.Owner.labels(), kindHolder, nil)}, newName(kindHolder))
		if err != nil {
			return "", nil, err
		}
		h = &holder{link: l}
	}
	return container.NetworkMode("container:" + h.link.id), h, nil
}

const noNetwork container.NetworkMode = "none"

func (n *networks) pop() (h *holder, own bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if last := len(n.idle) - 1; last >= 0 && !n.own {
		h = n.idle[last]
		n.idle = n.idle[:last]
	}
	return h, n.own
}

// give takes a holder back after a trial in whose namespace so many packets had been seen at the end.
func (n *networks) give(ctx context.Context, x *Executor, h *holder, packets int64) {
	if h == nil {
		return
	}
	n.mu.Lock()
	n.own = n.own || packets != h.packets
	keep := !n.own
	if keep {
		n.idle = append(n.idle, h)
	}
	n.mu.Unlock()
	if !keep {
		n.drop(ctx, x, h)
	}
}

// drop removes a holder that is of no use any more.
func (n *networks) drop(ctx context.Context, x *Executor, h *holder) {
	if h != nil {
		x.remove(ctx, h.link)
	}
}

// empty takes all holders out.
func (n *networks) empty() (links []*link) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, h := range n.idle {
		links = append(links, h.link)
	}
	n.idle = nil
	return links
}
