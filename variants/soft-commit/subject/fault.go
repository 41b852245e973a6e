package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/failrate/failrate/variants/internal/nap"
	"github.com/failrate/failrate/variants/internal/rounds"
	"github.com/failrate/failrate/variants/internal/socketproxy"
)

// whileCut cuts the replica off and adds documents until one fails or all are in. Its error is trouble of the harness.
func (s *scene) whileCut(ctx context.Context, o options, burst *rounds.Burst, t *story) error {
	if err := burst.Begin(); err != nil {
		return fmt.Errorf("announce the burst: %w", err)
	}
	next, adds := addsBefore, o.adds
	var err error
	switch o.cut {
	case cutNone:
		s.firstAdd(ctx, next, t)
	case cutPauseThenClose:
		err = s.pauseAddClose(ctx, o, t)
	case cutApplyThenCut:
		adds++ // the first one is no longer missing at the replica
		err = s.addThenCut(ctx, t)
	default:
		t.cut, err = s.proxy.Cut(socketproxy.How(o.cut))
		nap.For(o.delay)
		s.firstAdd(ctx, next, t)
	}
	if err := errors.Join(err, burst.End()); err != nil {
		return err
	}
	if o.cut != cutNone && t.cut == 0 {
		return errors.New("the cut found no connection")
	}
	for next++; t.lost == nil && next < addsBefore+adds; next++ {
		t.lost = s.add(ctx, next)
	}
	return nil
}

func (s *scene) firstAdd(ctx context.Context, number int, t *story) {
	start := time.Now()
	t.lost = s.add(ctx, number)
	t.firstAdd = time.Since(start)
}

// pauseAddClose lets the first add get into the kernel's buffers and no further, and then cuts. What counts is what the
// writer's socket accepted. When the client chose the leader, it is the leader's message to the replica that gets stuck.
func (s *scene) pauseAddClose(ctx context.Context, o options, t *story) error {
	addr := s.proxy.Addr()
	mine, theirs := s.mine.Reading(addr).Accepted, s.theirs.Reading(addr).Accepted
	s.proxy.Pause()
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.firstAdd(ctx, addsBefore, t)
	}()
	either, cancel := context.WithCancel(ctx)
	written := make(chan error, 2)
	go func() { written <- s.mine.Await(either, addr, mine+minAdd) }()
	go func() { written <- s.theirs.Await(either, addr, theirs+minAdd) }()
	waited := <-written
	cancel()
	<-written
	nap.For(o.delay)
	n, err := s.proxy.CutBusy(socketproxy.FIN)
	<-done
	t.cut = n
	return errors.Join(waited, err)
}

// minAdd is less than any add takes on the wire and more than its headers alone, in bytes.
const minAdd = 48

// addThenCut has the replica cut off between applying the first add and answering it. When the client gave that add to
// the leader, the cut comes right after it.
func (s *scene) addThenCut(ctx context.Context, t *story) error {
	var once sync.Once
	var err error
	cut := func() { once.Do(func() { t.cut, err = s.proxy.CutBusy(socketproxy.FIN) }) }
	s.replica.BeforeAnswer(cut)
	s.firstAdd(ctx, addsBefore, t)
	cut() // or wait for the one that is under way: the client hears of it before it is over
	return err
}
