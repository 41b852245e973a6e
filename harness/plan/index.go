package plan

import (
	"bytes"
	"fmt"
)

// MaxTrials bounds a plan that was read from a file: more than that is damage or malice, not a campaign.
const MaxTrials = 1 << 26

// Index finds a plan's cells by name and tells its trial numbers from others. It is safe for use by several goroutines.
type Index struct {
	cells  map[string]int
	bounds []bounds
	trials int
}

// bounds are a cell's trial numbers: 1 to first, then after+1 to after+second.
type bounds struct{ first, after, second int }

// Index checks a plan that may come from anywhere and makes its index. It is an error when two cells share a name, a
// cell's trials are negative, or there are more than MaxTrials in all.
func (p *Plan) Index() (*Index, error) {
	x := &Index{cells: map[string]int{}}
	for _, s := range p.Strata {
		_, half := s.longest()
		for i, c := range append(append([]Cell{}, s.Cells...), s.Controls...) {
			id := c.ID()
			if _, ok := x.cells[id]; ok {
				return nil, fmt.Errorf("the plan names the cell %.80q twice", id)
			}
			if c.Trials < 0 || c.Trials > MaxTrials || x.trials+c.Trials > MaxTrials {
				return nil, fmt.Errorf("the plan holds %d trials of %.80q: a plan has 0 to %d in all", c.Trials, id, MaxTrials)
			}
			x.cells[id] = len(x.bounds)
			b := bounds{first: c.Trials}
			if i >= len(s.Cells) {
				b = bounds{first: c.Trials / 2, after: half, second: c.Trials / 2}
			}
			x.bounds = append(x.bounds, b)
			x.trials += b.first + b.second
		}
	}
	return x, nil
}

// Cells is how many cells the plan has.
func (x *Index) Cells() int { return len(x.bounds) }

// Trials is how many trials the plan holds over all shards.
func (x *Index) Trials() int { return x.trials }

// Find gives the place in Plan.Cells of the cell with this name.
func (x *Index) Find(cell []byte) (int, bool) {
	i, ok := x.cells[string(cell)]
	return i, ok
}

// Locate reads a trial or attempt id as ParseID does, and finds its cell. It is an error when the id is not written as
// failrate writes it, or names a trial that the plan lacks. It allocates nothing unless it fails.
func (x *Index) Locate(id []byte) (cell, number, attempt int, err error) {
	rest, attempt := id, 1
	if at := bytes.IndexByte(id, '!'); at >= 0 {
		attempt = digits(id[at+1:], 1, 2)
		rest = id[:at]
	}
	at := bytes.LastIndexByte(rest, '#')
	if at < 1 || attempt == 0 {
		return 0, 0, 0, fmt.Errorf("%.80q is no id of an attempt", id)
	}
	if number = digits(rest[at+1:], 4, 1); number == 0 {
		return 0, 0, 0, fmt.Errorf("%.80q is no id of an attempt", id)
	}
	cell, ok := x.Find(rest[:at])
	if !ok || !x.Has(cell, number) {
		return 0, 0, 0, fmt.Errorf("the plan holds no trial %.80q", rest)
	}
	return cell, number, attempt, nil
}

// digits reads a number of at least low that is padded with zeros to a width and no further; 0 when it is not that.
func digits(text []byte, width, low int) int {
	if len(text) < width || len(text) > 9 || len(text) > width && text[0] == '0' {
		return 0
	}
	n := 0
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0
		}
		n = 10*n + int(c-'0')
	}
	if n < low {
		return 0
	}
	return n
}

// Has reports whether the plan holds a trial of this number in the cell.
func (x *Index) Has(cell, number int) bool {
	b := x.bounds[cell]
	return number >= 1 && (number <= b.first || number > b.after && number <= b.after+b.second)
}

// Max is the highest trial number of the cell; 0 when it has no trials.
func (x *Index) Max(cell int) int {
	b := x.bounds[cell]
	if b.second > 0 {
		return b.after + b.second
	}
	return b.first
}

// Count is how many trials of the cell a shard holds.
func (x *Index) Count(cell int, shard Shard) int {
	b := x.bounds[cell]
	return shard.upTo(b.first) + shard.upTo(b.after+b.second) - shard.upTo(b.after)
}

// Rank is how many trials of the cell with a lower number a shard holds. The plan and the shard have to hold the trial.
func (x *Index) Rank(cell, number int, shard Shard) int {
	b := x.bounds[cell]
	if number <= b.first {
		return shard.upTo(number) - 1
	}
	return shard.upTo(b.first) + shard.upTo(number) - shard.upTo(b.after) - 1
}

// upTo is how many of the numbers 1 to n are the shard's.
func (s Shard) upTo(n int) int {
	if s.Of == 0 {
		return n
	}
	if n < s.Index {
		return 0
	}
	return (n-s.Index)/s.Of + 1
}
