package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/failrate/failrate/variants/internal/rounds"
	"github.com/failrate/failrate/variants/internal/shard"
	"github.com/failrate/failrate/variants/internal/wire"
)

// runLimit bounds one run; nothing on the loopback takes that long unless the harness is at fault.
const runLimit = 30 * time.Second

// addsBefore is how many documents there are before the soft commit: one more than the real test buffers, so that
// there it forces a flush.
const addsBefore = 3

// story is what happened in one run.
type story struct {
	lost     error // the add that failed after the cut
	recovery error // why the replica did not come back level
	way      shard.Way
	missed   int64
	cut      int // connections that the cut ended
	firstAdd time.Duration
	catchUp  time.Duration
	twice    []string // ids that the leader applied more than once
	hit      bool     // an add went to the cut replica's port
	sent     bool     // the socket accepted bytes of the add that failed
	retries  int      // whole requests repeated, during the cut
	failover int      // sends to a further node, during the cut
}

// play is one run from start to judgement.
func play(ctx context.Context, o options, dice *rand.Rand, burst *rounds.Burst) rounds.Round {
	ctx, cancel := context.WithTimeout(ctx, runLimit)
	defer cancel()
	broken := func(err error) rounds.Round { return rounds.Round{Outcome: rounds.Broken, Message: err.Error()} }
	s, err := newScene(o, dice)
	if err != nil {
		return broken(err)
	}
	tale, err := s.test(ctx, o, burst)
	if closing := s.close(); err == nil {
		err = closing
	}
	if err == nil {
		err = ctx.Err() // a run out of time says nothing
	}
	if err != nil {
		return broken(err)
	}
	return judge(tale)
}

// test is the integration test. Its error is trouble of the harness.
func (s *scene) test(ctx context.Context, o options, burst *rounds.Burst) (story, error) {
	var t story
	for i := range addsBefore {
		if err := s.add(ctx, i); err != nil {
			return t, fmt.Errorf("add %d, before the cut: %w", i, err)
		}
	}
	if err := s.cloud.Update(ctx, "/commit", nil); err != nil {
		return t, fmt.Errorf("soft commit: %w", err)
	}
	if err := s.quiet(ctx, o.settle); err != nil {
		return t, err
	}
	before := len(s.cloud.Balancer.Attempts)
	if err := s.whileCut(ctx, o, burst, &t); err != nil {
		return t, err
	}
	s.lookBack(before, addsBefore+o.adds+1, &t)
	if t.lost != nil {
		return t, nil // the test ends at the add that failed
	}
	if err := s.proxy.Reopen(); err != nil {
		return t, err
	}
	start := time.Now()
	t.way, t.missed, t.recovery = s.replica.CatchUp(ctx)
	t.catchUp = time.Since(start)
	if t.recovery == nil {
		t.recovery = s.level(ctx)
	}
	return t, nil
}

// lookBack gathers what the client did during the cut, and what the leader applied of the documents.
func (s *scene) lookBack(before, documents int, t *story) {
	t.retries, t.failover = s.cloud.Retries, s.cloud.Balancer.Failovers
	for _, a := range s.cloud.Balancer.Attempts[before:] {
		t.hit = t.hit || (t.cut > 0 && a.Addr == s.proxy.Addr())
		t.sent = t.sent || (t.lost != nil && a.Failure != nil && a.Failure.Committed())
	}
	for i := range documents {
		if s.leader.Applied(docID(i)) > 1 {
			t.twice = append(t.twice, docID(i))
		}
	}
}

// level checks what the test is for: the replica is active, holds what the leader holds, and queries see it.
func (s *scene) level(ctx context.Context) error {
	me, err := s.state.Find(s.replica.Addr())
	if err != nil {
		return err
	}
	if me.Status != shard.Active || me.Behind {
		return fmt.Errorf("the replica is %s, behind: %t", me.Status, me.Behind)
	}
	if l, r := s.leader.Contents(), s.replica.Contents(); !slices.Equal(l, r) {
		return fmt.Errorf("the leader holds %q and the replica %q", l, r)
	}
	if _, err := s.operator.Send(ctx, wire.Request{Addr: s.leader.Addr(), Path: "/commit"}); err != nil {
		return fmt.Errorf("commit at the end: %w", err)
	}
	text, err := s.cloud.Query(ctx, "/query")
	if err != nil {
		return fmt.Errorf("query at the end: %w", err)
	}
	var seen []string
	if err := json.Unmarshal(text, &seen); err != nil {
		return fmt.Errorf("query at the end: %w", err)
	}
	if want := len(s.leader.Contents()); len(seen) != want {
		return fmt.Errorf("queries see %d documents of %d", len(seen), want)
	}
	return nil
}
