package stats

import (
	"container/heap"
	"math"
)

// boundary is the set of outcomes at which a group-sequential design stops with a
// difference: one staircase per look, for "the first arm is low". The mirror image, "the
// second arm is low", stops too, so the design is two-sided and the arms may be swapped.
type boundary struct {
	looks []int // trials per arm, rising; the last is the most
	sets  []staircase
	p     []map[[2]int]float64 // per look: the p-value of each outcome that can be reached
}

// safety keeps the largest error rate on the grid a little under the allowed one, which
// covers the rates between the grid points.
const safety = 0.9995

// newBoundary spends the error rate over the looks: up to a look at which the share t of
// the trials is in, at most alpha·t^power is spent, whatever the common rate. Each look
// gets the largest set that allows, in the order of Fisher's one-sided p-value, taking
// a later outcome when an earlier one no longer fits. The error rate is exact: it counts
// paths (Jennison and Turnbull 2000, Group Sequential Methods, chapter 12) and takes the
// worst common rate.
func newBoundary(looks []int, alpha, power float64) boundary {
	most := looks[len(looks)-1]
	b := boundary{looks: looks}
	g := &spender{grid: rateGrid(max(most, 200))}
	g.spent, g.trial = make([]float64, len(g.grid)), make([]float64, len(g.grid))
	g.rows = make([][]float64, len(g.grid))
	p := newPaths(most)
	for _, n := range looks {
		for p.n < n {
			p.advance()
		}
		g.allowed = safety * alpha * math.Pow(float64(n)/float64(most), power)
		set, values := g.spend(p)
		b.sets, b.p = append(b.sets, set), append(b.p, values)
		stopAt(p, set)
	}
	return b
}

// stopAt removes the sequences that the set and its mirror image stop.
func stopAt(p *paths, set staircase) {
	// Row x1 keeps the x2 below from[x1] and, by the mirror image, those with
	// from[x2] > x1; from rises, so these begin at one x2.
	low := 0
	for x1 := 0; x1 <= p.n; x1++ {
		for low <= p.n && int(set.from[low]) <= x1 {
			low++
		}
		p.keep(x1, low, int(set.from[x1]))
	}
}

// spender adds outcomes to the set of one look while the error rate allows.
type spender struct {
	grid    []float64
	spent   []float64   // error rate at each common rate so far
	trial   []float64   // scratch
	rows    [][]float64 // binomial probabilities at this look, per common rate
	allowed float64
	most    float64 // largest of spent
}

// spend grows the set of the look that p has reached.
func (g *spender) spend(p *paths) (staircase, map[[2]int]float64) {
	table := ratios(p.n)
	for i, rate := range g.grid {
		g.rows[i] = table.row(rate)
	}
	set := alreadyStopped(p)
	values := map[[2]int]float64{}
	queue := &cornerQueue{set: &set}
	for x1 := range set.from {
		queue.offer(x1)
	}
	for queue.Len() > 0 {
		c := heap.Pop(queue).(corner)
		if stay := p.at(c.x1, c.x2); stay > 0 {
			if !g.fits(c, stay) {
				continue // no outcome beyond this corner can be added at this look
			}
			values[[2]int{c.x1, c.x2}] = g.most / safety
		}
		set.from[c.x1]--
		queue.offer(c.x1)
		if c.x1 < set.n1 && set.from[c.x1+1] == int32(c.x2+1) {
			queue.offer(c.x1 + 1) // it was level with this row and has become a corner
		}
	}
	return set, values
}

// alreadyStopped is the smallest staircase that leaves out only what earlier looks have
// stopped; adding these outcomes costs nothing.
func alreadyStopped(p *paths) staircase {
	set := staircase{n1: p.n, n2: p.n, from: make([]int32, p.n+1)}
	from := 0
	for x1 := range set.from {
		from = max(from, x1+1, p.high[x1])
		set.from[x1] = int32(from)
	}
	return set
}

// fits adds the outcome and its mirror image when no common rate then errs too often.
func (g *spender) fits(c corner, stay float64) bool {
	first, last := g.window(float64(c.x1+c.x2) / 2)
	for i := first; i < last; i++ {
		row := g.rows[i]
		g.trial[i] = g.spent[i] + 2*stay*row[c.x1]*row[c.x2]
		if g.trial[i] > g.allowed {
			return false
		}
	}
	for i := first; i < last; i++ {
		g.spent[i] = g.trial[i]
		g.most = max(g.most, g.trial[i])
	}
	return true
}

// window is the part of the grid whose rates are within nine standard deviations of the
// observed one; beyond it an outcome is rarer than 10⁻¹⁸.
func (g *spender) window(failures float64) (first, last int) {
	n, size := float64(len(g.rows[0])-1), float64(len(g.grid))
	centre := math.Asin(math.Sqrt(failures/n)) / (math.Pi / 2) * size
	reach := 9 / (2 * math.Sqrt(2*n)) / (math.Pi / 2) * size
	return max(0, int(centre-reach)), min(len(g.grid), int(centre+reach)+2)
}
