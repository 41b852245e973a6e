package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/failrate/failrate/harness/study"
)

func TestEachBlockHoldsEachCellOfItsStratumOnce(t *testing.T) {
	t.Parallel()
	forRandomPlans(t, func(t *testing.T, _ *rand.Rand, _ *study.Study, p *Plan) {
		cells := p.Cells()
		seen := map[string]bool{}
		runs := make([]int, len(cells))
		for _, b := range blocks(p, Shard{}) {
			s := p.Strata[b.Stratum]
			want := map[string]bool{}
			for _, c := range s.Cells {
				if b.Phase == Main {
					want[c.ID()] = true
				}
			}
			for _, tr := range b.Trials {
				if seen[tr.ID] {
					t.Errorf("trial %s is planned twice", tr.ID)
				}
				seen[tr.ID] = true
				runs[tr.Index]++
				if tr.Cell.ID() != cells[tr.Index].ID() {
					t.Errorf("trial %s of cell %s points at cell %s", tr.ID, tr.Cell.ID(), cells[tr.Index].ID())
				}
				if tr.Cell.Control != (b.Phase != Main) {
					t.Errorf("trial %s is in phase %s", tr.ID, b.Phase)
				}
				if b.Phase == Main && !want[tr.Cell.ID()] {
					t.Errorf("block %d of %s holds %s twice, or a stranger", b.Number, s.ID(), tr.ID)
				}
				delete(want, tr.Cell.ID())
			}
			if len(want) > 0 {
				t.Errorf("block %d of %s lacks %v", b.Number, s.ID(), want)
			}
		}
		for i, c := range cells {
			if runs[i] != c.Trials {
				t.Errorf("cell %s has %d trials in its blocks, not %d", c.ID(), runs[i], c.Trials)
			}
		}
		if len(seen) != p.Trials() {
			t.Errorf("%d trials in the blocks, %d in the plan", len(seen), p.Trials())
		}
	})
}

func TestControlsRunHalfBeforeAndHalfAfter(t *testing.T) {
	t.Parallel()
	forRandomPlans(t, func(t *testing.T, _ *rand.Rand, s *study.Study, p *Plan) {
		last := ControlsBefore
		count := map[Phase]map[string]int{ControlsBefore: {}, Main: {}, ControlsAfter: {}}
		order := []Phase{ControlsBefore, Main, ControlsAfter}
		for _, b := range blocks(p, Shard{}) {
			if slices.Index(order, b.Phase) < slices.Index(order, last) {
				t.Errorf("a block of %s comes after one of %s", b.Phase, last)
			}
			last = b.Phase
			for _, tr := range b.Trials {
				count[b.Phase][tr.Cell.Variant]++
			}
		}
		for _, c := range s.Controls {
			want := c.Iterations * len(p.Strata)
			if before, after := count[ControlsBefore][c.Name], count[ControlsAfter][c.Name]; before != want || after != want {
				t.Errorf("control %s runs %d times before and %d times after, not %d", c.Name, before, after, want)
			}
		}
	})
}

func TestShardsAreDisjointAndCoverThePlan(t *testing.T) {
	t.Parallel()
	forRandomPlans(t, func(t *testing.T, r *rand.Rand, _ *study.Study, p *Plan) {
		index, err := p.Index()
		if err != nil {
			t.Fatal(err)
		}
		whole := blocks(p, Shard{})
		of := 1 + r.IntN(25)
		owner := map[string]int{}
		for k := 1; k <= of; k++ {
			shard := Shard{Index: k, Of: of}
			bs := blocks(p, shard)
			at := 0
			for _, b := range bs { // the shard is a subsequence of the plan: same blocks, same order, none split
				for at < len(whole) && !reflect.DeepEqual(whole[at], b) {
					at++
				}
				if at == len(whole) {
					t.Fatalf("block %d of shard %s is not in the plan, or out of order", b.Number, shard)
				}
				at++
			}
			rank := map[int]int{}
			for _, b := range bs {
				for _, tr := range b.Trials {
					if got := index.Rank(tr.Index, tr.Number, shard); got != rank[tr.Index] {
						t.Errorf("the rank of %s in shard %s is %d, not %d", tr.ID, shard, got, rank[tr.Index])
					}
					rank[tr.Index]++
				}
			}
			counted := 0
			for cell := range p.Cells() {
				counted += index.Count(cell, shard)
			}
			ids := trialIDs(bs)
			if counted != len(ids) {
				t.Errorf("shard %s holds %d trials, Count says %d", shard, len(ids), counted)
			}
			for _, id := range ids {
				if other, ok := owner[id]; ok {
					t.Errorf("trial %s is in shards %d and %d", id, other, k)
				}
				owner[id] = k
			}
		}
		if len(owner) != p.Trials() {
			t.Errorf("%d shards hold %d of %d trials", of, len(owner), p.Trials())
		}
	})
}

func TestOrderFollowsFromTheSeedAlone(t *testing.T) {
	t.Parallel()
	s := &study.Study{Name: "s", Baseline: "a", Variants: []study.Variant{{Name: "a"}, {Name: "b"}, {Name: "c"}},
		Platforms: []study.Platform{study.Native}, Stress: []study.Stress{{Name: "none"}, {Name: "cpu-2x"}}, Iterations: 20}
	order := func(seed uint64) []string {
		p, err := New(s, "digest", Selection{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		return trialIDs(blocks(p, Shard{}))
	}
	if !slices.Equal(order(1), order(1)) {
		t.Error("the same seed gives two orders")
	}
	if slices.Equal(order(1), order(2)) {
		t.Error("two seeds give the same order")
	}
	first := map[string]int{}
	for i, id := range order(1) {
		if i%3 == 0 {
			first[id[:1]]++
		}
	}
	if len(first) != 3 {
		t.Errorf("in 40 blocks only %v ever run first: the order is not shuffled", first)
	}
}

// The order and the seeds are part of what a printed seed promises, so later versions have to give them again.
func TestOrderIsTheSameInEveryVersion(t *testing.T) {
	t.Parallel()
	s := &study.Study{Name: "s", Baseline: "a", Variants: []study.Variant{{Name: "a"}, {Name: "b"}, {Name: "c"}},
		Controls:   []study.Control{{Variant: study.Variant{Name: "x"}, Iterations: 3}, {Variant: study.Variant{Name: "y"}, Iterations: 5}},
		Platforms:  []study.Platform{study.Container, study.Native},
		Stress:     []study.Stress{{Name: "none"}, {Name: "cpu-2x", CPU: 2}},
		Parameters: []study.Parameter{{Name: "delay", Values: []string{"0s", "1 m/s#!"}}}, Iterations: 17}
	p, err := New(s, "d", Selection{Seed: 42})
	if err != nil {
		t.Fatal(err)
	}
	h := sha256.New()
	for _, shard := range []Shard{{}, {1, 3}, {3, 3}, {2, 20}} {
		for b := range p.Blocks(shard) {
			fmt.Fprintln(h, b.Phase, b.Stratum, b.Number, b.Seed)
			for _, x := range b.Trials {
				fmt.Fprintln(h, x.ID, x.Number, x.Seed, x.Cell.Variant)
			}
		}
	}
	const want = "a151669c86183a0075e05383ed30ec206f301e3ccacf7f4f256206eb5695989b"
	if got := hex.EncodeToString(h.Sum(nil)); got != want {
		t.Errorf("the order of seed 42 changed: digest %s, want %s", got, want)
	}
}

func TestSeedIsEqualInsideABlockAndDiffersBetween(t *testing.T) {
	t.Parallel()
	forRandomPlans(t, func(t *testing.T, _ *rand.Rand, _ *study.Study, p *Plan) {
		used := map[uint64]string{}
		for _, b := range blocks(p, Shard{}) {
			for _, tr := range b.Trials {
				if tr.Seed != b.Seed || tr.Number != b.Number {
					t.Errorf("trial %s has seed %d and number %d in a block with %d and %d", tr.ID, tr.Seed, tr.Number, b.Seed, b.Number)
				}
			}
			if other, ok := used[b.Seed]; ok {
				t.Errorf("%s and %s share seed %d", other, b.Trials[0].ID, b.Seed)
			}
			used[b.Seed] = b.Trials[0].ID
		}
	})
}

func TestWalkEndsWhenAsked(t *testing.T) {
	t.Parallel()
	p, err := New(randomStudy(rand.New(rand.NewPCG(3, 7))), "digest", Selection{})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for range p.Blocks(Shard{}) {
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Fatalf("walked %d blocks, wanted to stop at 2", n)
	}
}

func TestParseShard(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"0/20", "21/20", "-1/20", "1/0", "1", "", "/", "a/b", "1/20/3", "1/ 20", "1/100001", "9/9223372036854775807"} {
		if got, err := ParseShard(text); err == nil {
			t.Errorf("ParseShard(%q) = %v, want an error", text, got)
		}
	}
	got, err := ParseShard("3/20")
	if err != nil || got != (Shard{Index: 3, Of: 20}) || got.String() != "3/20" {
		t.Errorf("ParseShard(3/20) = %v, %v", got, err)
	}
	if whole := (Shard{}); whole.String() != "" || !whole.Has(1) || !whole.Has(77) {
		t.Error("the zero shard is not the whole plan")
	}
}

// A thousand shards are planned in a moment because a shard skips the blocks of the others.
func BenchmarkThousandShards(b *testing.B) {
	s := &study.Study{Name: "s", Baseline: "a", Variants: []study.Variant{{Name: "a"}, {Name: "b"}}, Iterations: 500_000,
		Platforms: []study.Platform{study.Native}, Stress: []study.Stress{{Name: "none"}}}
	p, err := New(s, "d", Selection{Seed: 42})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		n := 0
		for k := range 1000 {
			for block := range p.Blocks(Shard{Index: k + 1, Of: 1000}) {
				n += len(block.Trials)
			}
		}
		if n != p.Trials() {
			b.Fatalf("%d trials, want %d", n, p.Trials())
		}
	}
}
