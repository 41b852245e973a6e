package plan

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Phase says when a block runs.
type Phase string

// The phases, in the order in which they run.
const (
	ControlsBefore Phase = "controls-before"
	Main           Phase = "main"
	ControlsAfter  Phase = "controls-after"
)

// Block is one trial of every cell of a stratum, in a shuffled order. Sharding never splits one.
type Block struct {
	Phase   Phase
	Stratum int // index into Plan.Strata
	Number  int // from 1 within the stratum; controls count on from the phase before to the phase after
	Seed    uint64
	Trials  []Trial
}

// Trial is one planned execution of the subject in a cell.
type Trial struct {
	ID     string // such as leaders-only/container/cpu-2x#0042
	Cell   Cell
	Number int    // the block's
	Seed   uint64 // the block's: the trials of one block share it
}

// Shard is a slice of the blocks: those whose turn it is among Of. The zero value is the whole plan.
type Shard struct {
	Index int // from 1 to Of
	Of    int // 0 means not sharded
}

// ParseShard reads a shard such as 3/20.
func ParseShard(text string) (Shard, error) {
	k, n, ok := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(k)
	of, err2 := strconv.Atoi(n)
	if !ok || err1 != nil || err2 != nil || of < 1 || i < 1 || i > of {
		return Shard{}, fmt.Errorf("shard %q is not of the form K/N with 1 ≤ K ≤ N, such as 3/20", text)
	}
	return Shard{Index: i, Of: of}, nil
}

// String gives the form that ParseShard reads; empty for the whole plan.
func (s Shard) String() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Of)
}

func (s Shard) has(number int) bool { return s.Of == 0 || (number-1)%s.Of == s.Index-1 }

// Blocks gives the shard's blocks in the order in which they run: controls, then block 1 of every stratum, block 2
// of every stratum and so on (so that a machine that slows down slows all strata alike), then controls again.
func (p *Plan) Blocks(shard Shard) iter.Seq[Block] {
	return func(yield func(Block) bool) {
		for _, phase := range []Phase{ControlsBefore, Main, ControlsAfter} {
			for n := 1; ; n++ {
				more, ok := p.round(phase, n, shard, yield)
				if !ok {
					return
				}
				if !more {
					break
				}
			}
		}
	}
}

// round yields the n-th block of every stratum of a phase. more is false when no stratum has an n-th one.
func (p *Plan) round(phase Phase, n int, shard Shard, yield func(Block) bool) (more, ok bool) {
	order := rand.New(rand.NewPCG(derive(p.Seed, "strata", string(phase), strconv.Itoa(n)), 0)).Perm(len(p.Strata))
	for _, i := range order {
		number, has := p.Strata[i].number(phase, n)
		if !has {
			continue
		}
		more = true
		if !shard.has(number) {
			continue
		}
		if !yield(p.block(phase, i, n, number)) {
			return false, false
		}
	}
	return more, true
}

// number is the block number of the n-th block of a phase, and whether there is one.
func (s Stratum) number(phase Phase, n int) (int, bool) {
	longest := 0
	for _, c := range s.phaseCells(phase) {
		longest = max(longest, c.inPhase(phase))
	}
	if phase == ControlsAfter {
		return longest + n, n <= longest
	}
	return n, n <= longest
}

func (s Stratum) phaseCells(phase Phase) []Cell {
	if phase == Main {
		return s.Cells
	}
	return s.Controls
}

// inPhase is how many of the cell's trials run in a phase: controls run half before and half after.
func (c Cell) inPhase(phase Phase) int {
	if phase == Main {
		return c.Trials
	}
	return c.Trials / 2
}

func (p *Plan) block(phase Phase, stratum, n, number int) Block {
	s := p.Strata[stratum]
	seed := derive(p.Seed, "block", string(phase), s.ID(), strconv.Itoa(number))
	b := Block{Phase: phase, Stratum: stratum, Number: number, Seed: seed}
	for _, c := range s.phaseCells(phase) {
		if n <= c.inPhase(phase) {
			b.Trials = append(b.Trials, Trial{ID: TrialID(c.ID(), number), Cell: c, Number: number, Seed: seed})
		}
	}
	shuffle := rand.New(rand.NewPCG(seed, 1))
	shuffle.Shuffle(len(b.Trials), func(i, j int) { b.Trials[i], b.Trials[j] = b.Trials[j], b.Trials[i] })
	return b
}
