package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/failrate/failrate/variants/internal/cloudclient"
	"github.com/failrate/failrate/variants/internal/shard"
	"github.com/failrate/failrate/variants/internal/socketproxy"
	"github.com/failrate/failrate/variants/internal/wire"
)

// scene is everything that one run needs, made anew for each.
type scene struct {
	state    *shard.State
	leader   *shard.Node
	replica  *shard.Node
	proxy    *socketproxy.Proxy // in front of the replica: clients and leader reach it only so
	cloud    *cloudclient.Cloud // the client under test
	operator wire.Sender        // for what is not the client's business
	mine     *wire.Meter        // of the client's connections
	theirs   *wire.Meter        // of the leader's
}

func newScene(o options, dice *rand.Rand) (*scene, error) {
	s := &scene{state: &shard.State{}, mine: &wire.Meter{}, theirs: &wire.Meter{}, operator: wire.NewH2(&wire.Meter{})}
	if err := s.start(o.keep); err != nil {
		return nil, errors.Join(err, s.close())
	}
	s.leader.Join(s.leader.Listen(), true)
	s.replica.Join(s.proxy.Addr(), false)
	s.cloud = &cloudclient.Cloud{Policy: o.policy, State: s.active, Order: order(o.route, dice)}
	s.cloud.Balancer.Sender = o.policy.Sender(s.mine)
	return s, nil
}

func (s *scene) start(keep int) (err error) {
	if s.leader, err = shard.Start(s.state, wire.NewH2(s.theirs), keep); err != nil {
		return err
	}
	if s.replica, err = shard.Start(s.state, wire.NewH2(&wire.Meter{}), keep); err != nil {
		return err
	}
	s.proxy, err = socketproxy.Open(s.replica.Listen())
	return err
}

// close ends what was started, the clients first, and waits for it.
func (s *scene) close() error {
	var errs []error
	s.operator.Close()
	if s.cloud != nil {
		s.cloud.Balancer.Sender.Close()
	}
	if s.proxy != nil {
		errs = append(errs, s.proxy.Close())
	}
	if s.replica != nil {
		errs = append(errs, s.replica.Close())
	}
	if s.leader != nil {
		errs = append(errs, s.leader.Close())
	}
	return errors.Join(errs...)
}

// active lists the active nodes, as a client sees them.
func (s *scene) active() []cloudclient.Endpoint {
	var out []cloudclient.Endpoint
	for _, m := range s.state.Members() {
		if m.Status == shard.Active {
			out = append(out, cloudclient.Endpoint{Addr: m.Addr, Leader: m.Leader})
		}
	}
	return out
}

// add adds the document with a number through the client.
func (s *scene) add(ctx context.Context, number int) error {
	text, err := json.Marshal(shard.Update{ID: docID(number), Text: fmt.Sprintf("document %d of the recovery test", number)})
	if err != nil {
		return err
	}
	return s.cloud.Update(ctx, "/update", text)
}

func docID(number int) string { return fmt.Sprint(number) }

// quiet waits until the proxy has read all that was written to it, and then for the idle time.
func (s *scene) quiet(ctx context.Context, settle time.Duration) error {
	addr := s.proxy.Addr()
	for s.proxy.Received() < s.mine.Reading(addr).Accepted+s.theirs.Reading(addr).Accepted {
		if ctx.Err() != nil {
			return fmt.Errorf("the proxy did not read what was written to it: %w", ctx.Err())
		}
		time.Sleep(settle)
	}
	time.Sleep(settle)
	return nil
}
