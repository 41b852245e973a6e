package reports

import (
	"cmp"
	"slices"

	"github.com/failrate/failrate/stats"
)

// maxBins bounds the points of one cell's timeline: more than a screen's worth shows nothing more.
const maxBins = 120

// timeline puts a cell's trials into bins of neighbouring blocks.
func (t *tally) timeline(level float64) ([]Bin, error) {
	slices.SortFunc(t.series, func(a, b point) int { return cmp.Compare(a.number, b.number) })
	var out []Bin
	var running stats.Count
	rounds := make([]stats.Count, 0, len(t.series))
	per := (len(t.series) + maxBins - 1) / maxBins
	for points := range slices.Chunk(t.series, max(per, 1)) {
		b, counted := newBin(points)
		running = running.Add(b.Count)
		rounds = append(rounds, counted...)
		b.Running = running
		if running.N > 0 {
			var err error
			if b.Interval, err = t.running(running, rounds, level); err != nil {
				return nil, err
			}
		}
		out = append(out, b)
	}
	return out, nil
}

func (t *tally) running(sum stats.Count, rounds []stats.Count, level float64) (stats.Interval, error) {
	if !t.several {
		return stats.Wilson(sum, level)
	}
	c, err := stats.KornGraubard(rounds, level)
	return c.Interval, err
}

// newBin sums up some trials; it also gives the counts of those in the rate.
func newBin(points []point) (Bin, []stats.Count) {
	b := Bin{First: int(points[0].number), Last: int(points[len(points)-1].number)}
	var wall, cores []float32
	var counted []stats.Count
	for _, p := range points {
		if p.cores >= 0 {
			cores = append(cores, p.cores)
		}
		if p.n == 0 {
			b.Excluded++
			continue
		}
		c := stats.Count{K: int64(p.k), N: int64(p.n)}
		b.Count = b.Count.Add(c)
		counted = append(counted, c)
		wall = append(wall, p.wall)
	}
	b.Wall = quantile(wall, 0.5)
	if len(cores) > 0 {
		sum := 0.0
		for _, c := range cores {
			sum += float64(c)
		}
		mean := sum / float64(len(cores))
		b.Cores = &mean
	}
	return b, counted
}
