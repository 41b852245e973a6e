package stats

import (
	"container/heap"
	"math"
)

// corner is an outcome just outside a staircase whose addition leaves a staircase.
type corner struct {
	x1, x2 int
	order  float64 // log of Fisher's one-sided p-value, rounded so that ties are equal
}

// cornerQueue is a heap of the corners of a set, most extreme first.
type cornerQueue struct {
	set     *staircase
	corners []corner
}

// offer puts the corner of row x1 into the queue, if there is one above the diagonal.
func (q *cornerQueue) offer(x1 int) {
	x2 := int(q.set.from[x1]) - 1
	if x2 <= x1 || (x1 > 0 && q.set.from[x1-1] == q.set.from[x1]) {
		return
	}
	n := float64(q.set.n1)
	h := hypergeometric{n1: n, n2: n, total: float64(x1 + x2)}
	heap.Push(q, corner{x1: x1, x2: x2, order: math.Round(math.Log(h.atMost(float64(x1))) * 1e9)})
}

func (q *cornerQueue) Len() int           { return len(q.corners) }
func (q *cornerQueue) Less(i, j int) bool { return q.corners[i].before(q.corners[j]) }
func (q *cornerQueue) Swap(i, j int)      { q.corners[i], q.corners[j] = q.corners[j], q.corners[i] }
func (q *cornerQueue) Push(x any)         { q.corners = append(q.corners, x.(corner)) }
func (q *cornerQueue) Pop() any {
	last := len(q.corners) - 1
	c := q.corners[last]
	q.corners = q.corners[:last]
	return c
}

// before orders corners by their p-value, ties by their place, so that every processor
// makes the same design.
func (c corner) before(d corner) bool {
	if c.order != d.order {
		return c.order < d.order
	}
	return c.x1 < d.x1
}
