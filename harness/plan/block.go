package plan

import (
	"fmt"
	"iter"
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
	Index  int    // of the cell in Plan.Cells
	Number int    // the block's
	Seed   uint64 // the block's: the trials of one block share it
}

// Shard is a slice of the blocks: those whose turn it is among Of. The zero value is the whole plan.
type Shard struct {
	Index int // from 1 to Of
	Of    int // 0 means not sharded
}

// MaxShards bounds the number of shards of one plan.
const MaxShards = 100_000

// ParseShard reads a shard such as 3/20.
func ParseShard(text string) (Shard, error) {
	k, n, ok := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(k)
	of, err2 := strconv.Atoi(n)
	if !ok || err1 != nil || err2 != nil || of < 1 || of > MaxShards || i < 1 || i > of {
		return Shard{}, fmt.Errorf("shard %.40q is not of the form K/N with 1 ≤ K ≤ N ≤ %d, such as 3/20", text, MaxShards)
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

// Has reports whether the block of this number is one of the shard's.
func (s Shard) Has(number int) bool { return s.Of == 0 || (number-1)%s.Of == s.Index-1 }

// Blocks gives the shard's blocks in the order in which they run: controls, then block 1 of every stratum, block 2
// of every stratum and so on (so that a machine that slows down slows all strata alike), then controls again.
func (p *Plan) Blocks(shard Shard) iter.Seq[Block] {
	return func(yield func(Block) bool) {
		c := p.course()
		for _, phase := range []Phase{ControlsBefore, Main, ControlsAfter} {
			first, step := 1, 1
			if phase != ControlsAfter && shard.Of > 0 { // the n-th block bears number n: go from one of ours to the next
				first, step = shard.Index, shard.Of
			}
			for n := first; n <= c.rounds(phase); n += step {
				if !c.round(phase, n, shard, yield) {
					return
				}
			}
		}
	}
}
