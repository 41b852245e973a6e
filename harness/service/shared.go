package service

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
)

// shared are the groups of services that live for a block.
type shared struct {
	mu     sync.Mutex
	groups map[groupKey]*group
}

// groupKey is what trials that share services have in common.
type groupKey struct{ block, needs string }

// join gives the services that a trial needs: its own, or those of its block. leave must follow.
func (x *Executor) join(ctx context.Context, r trial.Request) (*group, error) {
	if r.Services[0].Per != study.PerBlock { // a study's services all live alike
		return x.open(ctx, r, r.ID)
	}
	k, err := x.key(r)
	if err != nil {
		return nil, err
	}
	s := &x.shared
	s.mu.Lock()
	defer s.mu.Unlock() // a room is made while others wait: they need it too
	if g := s.groups[k]; g != nil && !g.isSpent() {
		g.users++
		return g, nil
	}
	g, err := x.open(ctx, r, r.Block)
	if err != nil {
		return nil, err
	}
	g.users, g.block = 1, true
	if s.groups == nil {
		s.groups = map[groupKey]*group{}
	}
	s.groups[k] = g // in the place of a spent one, which its last user ends
	return g, nil
}

func (x *Executor) key(r trial.Request) (groupKey, error) {
	var same []string
	for _, s := range r.Services {
		same = append(same, x.host.Same(r.Variant, s))
	}
	text, err := json.Marshal([]any{same, r.Services})
	if err != nil {
		return groupKey{}, fmt.Errorf("compare services: %w", err)
	}
	return groupKey{r.Block, string(text)}, nil
}

func (x *Executor) open(ctx context.Context, r trial.Request, id string) (*group, error) {
	g := newGroup(r.Services)
	var err error
	if g.room, err = x.host.Open(ctx, Ask{ID: id, Variant: r.Variant, Services: r.Services, Act: g.act}); err != nil {
		g.cancel()
		return nil, err
	}
	return g, nil
}

// leave ends the services of a trial, and those of a block that are spent when their last user leaves.
func (x *Executor) leave(ctx context.Context, r trial.Request, g *group) {
	if !g.block {
		x.close(ctx, g)
		return
	}
	s := &x.shared
	s.mu.Lock()
	g.users--
	over := g.users == 0 && g.isSpent()
	if over {
		for k, other := range s.groups {
			if other == g {
				delete(s.groups, k)
			}
		}
	}
	s.mu.Unlock()
	if over {
		x.close(ctx, g)
	}
}

// take gives the groups of a block, which has no trial any more.
func (s *shared) take(block string) (out []*group) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, g := range s.groups {
		if k.block == block {
			out = append(out, g)
			delete(s.groups, k)
		}
	}
	return out
}

func (s *shared) all() (out []*group) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, g := range s.groups {
		out = append(out, g)
		delete(s.groups, k)
	}
	return out
}
