package journal

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/harness/plan"
)

// system is the journals of one operating system and architecture: a plan's trials exist once in each.
type system struct {
	name   string
	of     int   // shards; 0 when the plan was not sharded
	shards []int // by shard from 1 at 0: index into Merged.Journals, -1 for a missing one
}

// byPlace sorts journals by what they are of, so that the order of the sources does not matter.
func byPlace(all []*Journal) {
	slices.SortFunc(all, func(a, b *Journal) int {
		return cmp.Or(cmp.Compare(a.Header.Host.System(), b.Header.Host.System()), cmp.Compare(a.shard.Of, b.shard.Of), cmp.Compare(a.shard.Index, b.shard.Index),
			cmp.Compare(a.Header.Attempt, b.Header.Attempt), cmp.Compare(a.Header.Campaign, b.Header.Campaign),
			cmp.Compare(b.whole, a.whole), cmp.Compare(a.Source.String(), b.Source.String()))
	})
}

// settle chooses the journal of every shard: copies are one, and a later attempt of the same job replaces an earlier one.
func (m *Merged) settle(all []*Journal) error {
	byPlace(all) // the longest of several copies first
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].Header.Host.System() == all[0].Header.Host.System() && all[n].shard == all[0].shard {
			n++
		}
		chosen, err := m.choose(all[:n])
		if err != nil {
			return err
		}
		if err := m.place(chosen); err != nil {
			return err
		}
		all = all[n:]
	}
	return nil
}

// choose settles the journals of one shard, sorted by attempt.
func (m *Merged) choose(of []*Journal) (*Journal, error) {
	var attempts []*Journal
	for _, j := range of {
		last := len(attempts) - 1
		if last < 0 || attempts[last].Header.Attempt != j.Header.Attempt {
			attempts = append(attempts, j)
			continue
		}
		same, err := prefix(j, attempts[last])
		if err != nil {
			return nil, err
		}
		if !same {
			return nil, contradiction(attempts[last], j, "they are two records of the same trials")
		}
		attempts[last].Copies = append(attempts[last].Copies, j.Source)
	}
	chosen := attempts[len(attempts)-1]
	for _, j := range attempts[:len(attempts)-1] {
		if j.Header.Campaign != chosen.Header.Campaign {
			return nil, contradiction(j, chosen, "they are of two campaigns")
		}
		j.ledger = nil
		m.Superseded = append(m.Superseded, Superseded{Journal: *j, By: chosen.Source})
	}
	return chosen, nil
}

// place adds a journal to its system's shards.
func (m *Merged) place(j *Journal) error {
	var s *system
	if len(m.systems) > 0 {
		s = m.systems[len(m.systems)-1]
	}
	if s == nil || s.name != j.Header.Host.System() {
		s = &system{name: j.Header.Host.System(), of: j.shard.Of, shards: make([]int, max(j.shard.Of, 1))}
		for i := range s.shards {
			s.shards[i] = -1
		}
		m.systems = append(m.systems, s)
	}
	if s.of != j.shard.Of {
		return contradiction(&m.Journals[len(m.Journals)-1], j, "the plan was cut into shards in two ways, so trials are in both")
	}
	s.shards[max(j.shard.Index, 1)-1] = len(m.Journals)
	m.Journals = append(m.Journals, *j)
	return nil
}

func contradiction(a, b *Journal, why string) error {
	return &refusal{kind: ErrDiffers, text: fmt.Sprintf("%s (%s, shard %s, attempt %d) and %s (shard %s, attempt %d): %s",
		a.Source, a.Header.Host.System(), cmp.Or(a.Header.Shard, "whole"), a.Header.Attempt,
		b.Source, cmp.Or(b.Header.Shard, "whole"), b.Header.Attempt, why),
		hint: "leave one of them out, or report each by itself"}
}

// prefix reports whether the whole records of a journal are the beginning of a longer one.
func prefix(short, long *Journal) (same bool, err error) {
	if short.whole > long.whole {
		return false, nil
	}
	err = short.content.open(func(a io.ReaderAt, _ int64) error {
		return long.content.open(func(b io.ReaderAt, _ int64) error {
			same, err = equal(io.NewSectionReader(a, 0, short.whole), io.NewSectionReader(b, 0, short.whole))
			return err
		})
	})
	return same, err
}

func equal(a, b io.Reader) (bool, error) {
	x, y := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		n, errA := io.ReadFull(a, x)
		k, errB := io.ReadFull(b, y)
		if n != k || !bytes.Equal(x[:n], y[:k]) {
			return false, nil
		}
		if errA != nil || errB != nil { // the end, as sections do not fail otherwise
			return true, nil
		}
	}
}

// takeStock says what is not there.
func (m *Merged) takeStock() {
	for _, s := range m.systems {
		taken := func(string) bool { return false }
		for _, i := range s.shards {
			if i < 0 {
				continue
			}
			before, h := taken, m.Journals[i].Header
			taken = func(platform string) bool { return before(platform) || h.takes(platform) }
		}
		count := func(shard plan.Shard) (n int) {
			for cell, c := range m.Header.Plan.Cells() {
				if taken(string(c.Platform)) {
					n += m.index.Count(cell, shard)
				}
			}
			return n
		}
		all := count(plan.Shard{})
		for k, i := range s.shards {
			if i >= 0 {
				j := &m.Journals[i]
				m.Partial = m.Partial || j.Counts[classify.Lost]+j.Unstarted() > 0 && !j.stopped
				continue
			}
			shard := plan.Shard{Index: k + 1, Of: s.of}
			n := count(shard)
			m.Missing = append(m.Missing, Missing{System: s.name, Shard: shard.String(), Trials: n, Share: float64(n) / float64(max(all, 1))})
			m.Partial = true
		}
	}
	slices.Sort(m.Warnings)
}
