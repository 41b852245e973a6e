package journal

import (
	"errors"
	"fmt"
	"iter"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/harness/plan"
)

// Trial is one trial of merged journals, by the record of the attempt that decides it: the last that finished and was
// neither broken nor lost, else the last. Of a lost trial that is a started record, and its Outcome is Lost.
// Record.Line is 0.
type Trial struct {
	*Record
	Journal  int // index into Merged.Journals
	Phase    plan.Phase
	Stratum  int // index into the plan's Strata
	Attempts int // on record
}

var errChanged = errors.New("it changed while it was read")

// Each calls f for every trial that an attempt is on record of, once: system by system (sorted), and in the plan's order
// in each. What f is given is good until it returns; Record.Finished gives what may be kept.
func (m *Merged) Each(f func(*Trial) error) error { return m.each(false, f) }

// EachInFull is Each with the Detail of every finished record.
func (m *Merged) EachInFull(f func(*Trial) error) error { return m.each(true, f) }

func (m *Merged) each(full bool, f func(*Trial) error) error {
	p := m.picker()
	defer p.stop()
	pipe := newPipeline(workers())
	for _, parser := range pipe.parsers {
		parser.index, parser.full = m.index, full
	}
	var err error
	pipe.run(p.fill, m.parse, func(b *batch) bool {
		for i := range b.picked[:b.used] {
			t := &b.picked[i]
			t.Record = &b.records[i]
			if err = f(&t.Trial); err != nil {
				return false
			}
		}
		err = b.err
		return err == nil
	})
	return err
}

// picked is a trial whose line is in a batch.
type picked struct {
	Trial
	cell, number, attempt int // that its line has to be of
	outcome               classify.Outcome
	at                    int64 // where the line was
	end                   int   // of the line in the batch
}

// picker walks the plan and picks the lines that decide.
type picker struct {
	m       *Merged
	cursors []cursor
	next    func() (int, plan.Block, bool) // system and block
	stop    func()
}

func (m *Merged) picker() *picker {
	p := &picker{m: m, cursors: make([]cursor, len(m.Journals))}
	size := min(max(32<<20/(2*len(m.Journals)), 8<<10), 128<<10)
	for i := range p.cursors {
		p.cursors[i] = cursor{content: m.Journals[i].content, size: size}
	}
	p.next, p.stop = iter.Pull2(func(yield func(int, plan.Block) bool) {
		for i := range m.systems {
			for b := range m.Header.Plan.Blocks(plan.Shard{}) {
				if !yield(i, b) {
					return
				}
			}
		}
	})
	return p
}

// fill picks the lines of some blocks.
func (p *picker) fill(b *batch) bool {
	b.buf, b.picked = b.buf[:0], b.picked[:0]
	for len(b.buf) < chunk {
		i, block, ok := p.next()
		if !ok {
			return false
		}
		s := p.m.systems[i]
		journal := s.shards[0]
		if s.of > 0 {
			journal = s.shards[(block.Number-1)%s.of]
		}
		if journal < 0 {
			continue
		}
		if b.err = p.pick(b, journal, block); b.err != nil {
			return false
		}
	}
	return true
}

func (p *picker) pick(b *batch, journal int, block plan.Block) error {
	j := &p.m.Journals[journal]
	for _, t := range block.Trials {
		e := j.ledger.peek(t.Index, t.Number)
		if e == nil || e.result == 0 {
			continue
		}
		line, err := p.cursors[journal].line(e.at)
		if err != nil {
			return fmt.Errorf("%s: %w", j.Source, err)
		}
		b.buf = append(b.buf, line...)
		b.picked = append(b.picked, picked{
			Trial: Trial{Journal: journal, Phase: block.Phase, Stratum: block.Stratum, Attempts: int(e.last)},
			cell:  t.Index, number: t.Number, attempt: int(e.result), outcome: e.outcome, at: e.at, end: len(b.buf),
		})
	}
	return nil
}

// parse reads the picked lines of a batch.
func (m *Merged) parse(p *parser, b *batch) {
	from := 0
	for i := range b.picked {
		t := &b.picked[i]
		r := b.next()
		r.Line, r.Offset = 0, t.at
		err := p.record(b.buf[from:t.end], r)
		if r.Kind == KindStarted {
			r.Outcome = classify.Lost
		}
		if err == nil && (r.Cell != t.cell || r.Number != t.number || r.Attempt != t.attempt || r.Outcome != t.outcome) {
			err = errChanged
		}
		if err != nil {
			b.used--
			b.err = fmt.Errorf("%s: byte %d: %w", m.Journals[t.Journal].Source, t.at, err)
			return
		}
		from = t.end
	}
}
