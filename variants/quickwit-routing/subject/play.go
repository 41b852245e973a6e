package main

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/failrate/failrate/variants/internal/quickwit"
	"github.com/failrate/failrate/variants/internal/rounds"
)

const (
	documents = 3
	size      = 300 // bytes
	commit    = time.Second
	tick      = 5 * time.Second // between two broadcasts
	again     = 500 * time.Millisecond
	forever   = time.Hour // no answer for so long is a fault of the model
)

// story is one round under way.
type story struct {
	o       options
	clock   *quickwit.Virtual
	cluster *quickwit.Cluster
	round   rounds.Round
}

// play tells the story once.
func play(o options, number int) rounds.Round {
	s := &story{o: o, clock: &quickwit.Virtual{}, round: rounds.Round{Outcome: rounds.Broken, Metrics: map[string]float64{}}}
	dice := quickwit.Dice(o.seed, strconv.Itoa(number))
	s.cluster = quickwit.NewCluster(quickwit.Config{
		Build: o.build, Nodes: o.nodes, Phase: -1, Cooldown: cooldown(o.plan), Commit: commit,
		RetainLost: o.lost, RetainDelay: o.delay,
	}, s.clock, dice)
	s.clock.Sleep(2*tick + time.Duration(dice.Float64()*float64(tick)))
	if err := s.tell(); err != nil {
		s.round.Outcome, s.round.Message = rounds.Broken, err.Error()
	}
	return s.round
}

// cooldown is the model's way to say it: its zero is the product's own.
func cooldown(plan time.Duration) time.Duration {
	if plan == 0 {
		return -1
	}
	return plan
}

func (s *story) tell() error {
	old, err := s.create("index")
	if err != nil {
		return fmt.Errorf("first creation: %w", err)
	}
	first, err := s.ingest(0, "index")
	if err := errors.Join(err, first.Err); err != nil {
		return fmt.Errorf("first ingest: %w", err)
	}
	s.clock.Sleep(s.o.live)
	refused, err := s.remove("index")
	if err != nil {
		return err
	}
	if refused != nil { // an honest answer: the caller knows that the index is not quite gone
		s.round.Outcome, s.round.Class, s.round.Message = rounds.Fail, "delete-refused", refused.Error()
		return nil
	}
	s.clock.Sleep(s.o.gap)
	if s.o.restart {
		s.cluster.Restart()
	}
	name := "index"
	if s.o.rename {
		name = "another"
	}
	fresh, err := s.create(name)
	if err != nil {
		return fmt.Errorf("second creation: %w", err)
	}
	s.clock.Sleep(s.o.wait)
	s.look(old, fresh)
	second, err := s.ingest(s.o.router-1, name)
	if err != nil {
		return err
	}
	s.judge(second, old, name)
	return s.recover(second, name)
}

// look notes what was so just before the second ingest.
func (s *story) look(old, fresh quickwit.IndexUID) {
	h := s.cluster.History(old)
	if old != fresh {
		s.seen("uids-differ")
	}
	if h.Retained >= 0 {
		s.seen("shards-removed")
	}
	until := s.clock.Now()
	if h.Retained >= 0 {
		until = h.Retained
	}
	if s.cluster.TickBetween(0, h.Persisted, until) {
		s.seen("seen-by-a-tick")
	}
	for _, r := range s.cluster.Routes(s.o.router - 1) {
		if r.UID == old && r.Open > 0 {
			s.seen("stale-entry")
			return
		}
	}
}

func (s *story) seen(evidence string) { s.round.Evidence = append(s.round.Evidence, evidence) }

// recover tries a failed ingest again, as a client would, and notes how long it took until it was taken.
func (s *story) recover(second quickwit.Ingest, name string) error {
	if second.Err == nil {
		return nil
	}
	from := s.clock.Now()
	for s.clock.Now()-from < s.o.patient {
		s.clock.Sleep(again)
		i, err := s.ingest(s.o.router-1, name)
		if err != nil {
			return err
		}
		if i.Err == nil {
			s.seen("recovered")
			s.round.Metrics["recovery_s"] = (s.clock.Now() - from).Seconds()
			s.round.Metrics["permanent"] = 0
			return nil
		}
	}
	s.round.Metrics["permanent"] = 1
	return nil
}

func (s *story) create(name string) (uid quickwit.IndexUID, err error) {
	return uid, s.answered("create", func(done func()) {
		s.cluster.CreateIndex(name, 0, func(u quickwit.IndexUID, e error) { uid, err = u, e; done() })
	}, &err)
}

func (s *story) remove(name string) (refused, err error) {
	return refused, s.answered("delete", func(done func()) {
		s.cluster.DeleteIndex(name, func(e error) { refused = e; done() })
	}, nil)
}

func (s *story) ingest(node int, name string) (got quickwit.Ingest, err error) {
	return got, s.answered("ingest", func(done func()) {
		s.cluster.Ingest(node, name, documents, size, quickwit.Auto, func(i quickwit.Ingest) { got = i; done() })
	}, nil)
}

// answered asks, and lets the clock run until the answer is there.
func (s *story) answered(what string, ask func(done func()), failure *error) error {
	done := false
	ask(func() { done = true })
	if !s.clock.Until(func() bool { return done }, forever) {
		return fmt.Errorf("%s: no answer within %v", what, forever)
	}
	if failure != nil {
		return *failure
	}
	return nil
}
