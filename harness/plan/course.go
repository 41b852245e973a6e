package plan

import (
	"math/rand/v2"
	"strconv"
)

// course is a plan made ready to be walked: what every block would otherwise work out anew.
type course struct {
	seed   uint64
	strata []track
}

// track is one stratum of a course.
type track struct {
	id       string
	cells    []lane
	controls []lane
	longest  int // blocks of the main phase
	half     int // blocks of the controls in each of their two phases
}

// lane is one cell of a track.
type lane struct {
	index int // in Plan.Cells
	id    string
	cell  Cell
}

func (p *Plan) course() *course {
	c := &course{seed: p.Seed}
	index := 0
	lanes := func(cells []Cell) (out []lane) {
		for _, cell := range cells {
			out = append(out, lane{index: index, id: cell.ID(), cell: cell})
			index++
		}
		return out
	}
	for _, s := range p.Strata {
		t := track{id: s.ID(), cells: lanes(s.Cells), controls: lanes(s.Controls)}
		t.longest, t.half = s.longest()
		c.strata = append(c.strata, t)
	}
	return c
}

// longest is how many blocks the stratum has in its main phase, and how many in each of the two phases of its controls.
func (s Stratum) longest() (main, control int) {
	for _, c := range s.Cells {
		main = max(main, c.Trials)
	}
	for _, c := range s.Controls {
		control = max(control, c.Trials/2)
	}
	return main, control
}

// rounds is how many blocks the longest stratum has in a phase.
func (c *course) rounds(phase Phase) int {
	n := 0
	for i := range c.strata {
		n = max(n, c.strata[i].blocks(phase))
	}
	return n
}

// round yields the n-th block of every stratum that has one in the shard. It gives false when the walk is to end.
func (c *course) round(phase Phase, n int, shard Shard, yield func(Block) bool) bool {
	some := false
	for i := range c.strata {
		_, ok := c.strata[i].number(phase, n, shard)
		some = some || ok
	}
	if !some {
		return true
	}
	for _, i := range rand.New(rand.NewPCG(derive(c.seed, "strata", string(phase), strconv.Itoa(n)), 0)).Perm(len(c.strata)) {
		if number, ok := c.strata[i].number(phase, n, shard); ok && !yield(c.block(phase, i, n, number)) {
			return false
		}
	}
	return true
}

// blocks is how many blocks the stratum has in a phase.
func (t *track) blocks(phase Phase) int {
	if phase == Main {
		return t.longest
	}
	return t.half
}

// number is the block number of the n-th block of a phase, and whether there is one in the shard.
func (t *track) number(phase Phase, n int, shard Shard) (int, bool) {
	number := n
	if phase == ControlsAfter {
		number += t.half
	}
	return number, n <= t.blocks(phase) && shard.Has(number)
}

// inPhase is how many of the cell's trials run in a phase: controls run half before and half after.
func (c Cell) inPhase(phase Phase) int {
	if phase == Main {
		return c.Trials
	}
	return c.Trials / 2
}

func (c *course) block(phase Phase, stratum, n, number int) Block {
	t := &c.strata[stratum]
	lanes := t.cells
	if phase != Main {
		lanes = t.controls
	}
	seed := derive(c.seed, "block", string(phase), t.id, strconv.Itoa(number))
	b := Block{Phase: phase, Stratum: stratum, Number: number, Seed: seed, Trials: make([]Trial, 0, len(lanes))}
	for i := range lanes {
		if l := &lanes[i]; n <= l.cell.inPhase(phase) {
			b.Trials = append(b.Trials, Trial{ID: TrialID(l.id, number), Cell: l.cell, Index: l.index, Number: number, Seed: seed})
		}
	}
	shuffle := rand.New(rand.NewPCG(seed, 1))
	shuffle.Shuffle(len(b.Trials), func(i, j int) { b.Trials[i], b.Trials[j] = b.Trials[j], b.Trials[i] })
	return b
}
