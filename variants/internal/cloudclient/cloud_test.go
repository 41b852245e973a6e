package cloudclient

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/failrate/failrate/variants/internal/wire"
)

func cloud(t *testing.T, policy string, s *script) *Cloud {
	t.Helper()
	p, known := Named(policy)
	if !known {
		t.Fatalf("no policy %q", policy)
	}
	c := &Cloud{Policy: p, State: func() []Endpoint {
		return []Endpoint{{Addr: "replica"}, {Addr: "leader", Leader: true}}
	}}
	c.Balancer.Sender = s
	return c
}

func TestLeadersOnlySendsUpdatesToTheLeaderAndQueriesAnywhere(t *testing.T) {
	t.Parallel()
	s := &script{}
	c := cloud(t, "leaders-only", s)
	if err := c.Update(context.Background(), "/update", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Query(context.Background(), "/query"); err != nil {
		t.Fatal(err)
	}
	if want := []string{"leader", "replica"}; !slices.Equal(s.sent, want) {
		t.Errorf("sent to %v, want %v", s.sent, want)
	}
}

func TestOrderIsAskedForEveryRequest(t *testing.T) {
	t.Parallel()
	s := &script{}
	c := cloud(t, "baseline", s)
	c.Order = slices.Reverse[[]Endpoint]
	for range 2 {
		if err := c.Update(context.Background(), "/update", nil); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"leader", "leader"}; !slices.Equal(s.sent, want) {
		t.Errorf("sent to %v, want %v", s.sent, want)
	}
}

func TestACommittedFailureIsNotRepeatedByTheBaseline(t *testing.T) {
	t.Parallel()
	s := &script{plays: map[string][]*wire.Failure{"replica": {fails(wire.Closed, 0)}}}
	c := cloud(t, "baseline", s)
	err := c.Update(context.Background(), "/update", nil)
	if f, ok := errors.AsType[*wire.Failure](err); !ok || !f.Committed() {
		t.Errorf("got %v", err)
	}
	if want := []string{"replica"}; !slices.Equal(s.sent, want) || c.Retries != 0 {
		t.Errorf("sent to %v with %d retries", s.sent, c.Retries)
	}
}

func TestTheUpperLayerRepeatsWithFreshState(t *testing.T) {
	t.Parallel()
	s := &script{plays: map[string][]*wire.Failure{"replica": {fails(wire.Closed, 0), fails(wire.Refused, 0)}}}
	c := cloud(t, "comm-error-all", s)
	reads := 0
	state := c.State
	c.State = func() []Endpoint { reads++; return state() }
	if err := c.Update(context.Background(), "/update", nil); err != nil {
		t.Fatal(err)
	}
	if want := []string{"replica", "replica", "leader"}; !slices.Equal(s.sent, want) {
		t.Errorf("sent to %v, want %v", s.sent, want)
	}
	if c.Retries != 1 || c.Balancer.Failovers != 1 || reads != 2 {
		t.Errorf("%d retries, %d failovers, state read %d times; want 1, 1, 2", c.Retries, c.Balancer.Failovers, reads)
	}
}

func TestRetriesAreBounded(t *testing.T) {
	t.Parallel()
	s := &script{plays: map[string][]*wire.Failure{"replica": again(fails(wire.Refused, 0)), "leader": again(fails(wire.Refused, 0))}}
	c := cloud(t, "baseline", s)
	err := c.Update(context.Background(), "/update", nil)
	if !errors.Is(err, ErrNoLiveServer) {
		t.Errorf("got %v", err)
	}
	if f, ok := errors.AsType[*wire.Failure](err); !ok || f.Fault != wire.Refused {
		t.Errorf("the last failure is lost: %v", err)
	}
	if c.Retries != MaxRetries || len(s.sent) != 2*(MaxRetries+1) {
		t.Errorf("%d retries, %d sends; want %d, %d", c.Retries, len(s.sent), MaxRetries, 2*(MaxRetries+1))
	}
}

func TestAZombieIsTriedLastUntilItAnswers(t *testing.T) {
	t.Parallel()
	s := &script{plays: map[string][]*wire.Failure{
		"replica": {fails(wire.Refused, 0)},
		"leader":  {nil, nil, fails(wire.Refused, 0)},
	}}
	c := cloud(t, "baseline", s)
	for range 4 {
		if err := c.Update(context.Background(), "/update", nil); err != nil {
			t.Fatal(err)
		}
	}
	// 1: replica refused, leader. 2: leader first, the replica is a zombie. 3: leader refused, the zombie answers and is
	// none any more. 4: replica first again; now the leader is the zombie.
	if want := []string{"replica", "leader", "leader", "leader", "replica", "replica"}; !slices.Equal(s.sent, want) {
		t.Errorf("sent to %v, want %v", s.sent, want)
	}
}

func TestAZombieThatAnswersWithAnErrorIsAlive(t *testing.T) {
	t.Parallel()
	s := &script{plays: map[string][]*wire.Failure{
		"leader":  {fails(wire.Refused, 0), fails(wire.Status, 400)},
		"replica": {nil, fails(wire.Refused, 0)},
	}}
	b := &Balancer{Sender: s, NextOn: wire.Refused}
	send := func(addrs ...string) error {
		_, err := b.Send(context.Background(), addrs, wire.Request{}, true)
		return err
	}
	if err := send("leader", "replica"); err != nil { // now the leader is a zombie
		t.Error(err)
	}
	if err := send("replica", "leader"); err == nil { // now the replica is one, and the leader answered
		t.Error("the status was lost")
	}
	if err := send("replica", "leader"); err != nil {
		t.Error(err)
	}
	if want := []string{"leader", "replica", "replica", "leader", "leader"}; !slices.Equal(s.sent, want) {
		t.Errorf("sent to %v, want %v", s.sent, want)
	}
}

func TestNobodyToSendTo(t *testing.T) {
	t.Parallel()
	c := cloud(t, "baseline", &script{})
	c.State = func() []Endpoint { return nil }
	if err := c.Update(context.Background(), "/update", nil); !errors.Is(err, ErrNoLiveServer) {
		t.Errorf("got %v", err)
	}
}
