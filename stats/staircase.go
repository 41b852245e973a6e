package stats

import "math"

// staircase is a set of outcomes (x1, x2) of two arms that holds, for each x1, every x2
// from from[x1] to n2; from[x1] is n2+1 where it holds none. Sets of the form
// "the first arm is low against the second" have this shape, and from never falls.
type staircase struct {
	n1, n2 int
	from   []int32
}

// fisherStaircase is the set of outcomes whose one-sided Fisher p-value, the chance of x1
// or fewer in the first arm given x1+x2, is at most limit (ties included).
func fisherStaircase(n1, n2 int, limit float64) staircase {
	s := staircase{n1: n1, n2: n2, from: make([]int32, n1+1)}
	w := newWalk(n1, n2)
	for x1 := 0; ; x1++ {
		for w.x2 <= n2 && !w.atMost(limit) {
			w.stepUp2()
		}
		s.from[x1] = int32(w.x2)
		if x1 == n1 {
			return s
		}
		if w.x2 > n2 {
			for rest := x1 + 1; rest <= n1; rest++ {
				s.from[rest] = int32(n2 + 1)
			}
			return s
		}
		w.stepUp1()
	}
}

// walk keeps, at one outcome, the one-sided Fisher p-value and the point probability, and
// updates both in constant time when one arm gets one more failure. It starts at (0, 0).
type walk struct {
	n1, n2, x1, x2 int
	tail, point    float64
	stale          int     // steps since tail and point were computed afresh
	highest        float64 // largest tail since then; its rounding is still in the tail
}

// refreshEvery bounds the rounding that constant-time steps pile up to about 1e-11. Where
// that could decide, atMost computes afresh anyway.
const refreshEvery = 2048

func newWalk(n1, n2 int) *walk { return &walk{n1: n1, n2: n2, tail: 1, point: 1, highest: 1} }

func (w *walk) given() hypergeometric {
	return hypergeometric{n1: float64(w.n1), n2: float64(w.n2), total: float64(w.x1 + w.x2)}
}

func (w *walk) refresh() {
	h := w.given()
	w.tail, w.point, w.stale = h.atMost(float64(w.x1)), h.prob(float64(w.x1)), 0
	w.highest = w.tail
}

// atMost decides tail <= limit, afresh when rounding could decide it.
func (w *walk) atMost(limit float64) bool {
	if math.Abs(w.tail-limit) < 1e-8*limit && w.stale > 0 {
		w.refresh()
	}
	return w.tail <= limit*(1+tieTolerance)
}

// stepUp2 moves to (x1, x2+1). Of the outcomes with at most x1 failures in the first arm
// only those at x1 can leave, when the extra failure falls there. At x2 = n2 it leaves
// the table.
func (w *walk) stepUp2() {
	s := w.x1 + w.x2
	left := float64(w.n1 + w.n2 - s)
	if w.x2 < w.n2 {
		leave := float64(w.n1-w.x1) / left
		if w.x1 == 0 { // tail equals point: take the share that stays, which cannot cancel
			w.tail *= float64(w.n2-s) / left
		} else {
			w.tail -= w.point * leave
		}
		w.point *= float64(w.n2-w.x2) / float64(w.x2+1) * float64(s+1) / left
	}
	w.x2++
	w.moved()
}

// stepUp1 moves to (x1+1, x2).
func (w *walk) stepUp1() {
	s := w.x1 + w.x2
	left := float64(w.n1 + w.n2 - s)
	w.tail -= w.point * float64(w.n1-w.x1) / left
	w.point *= float64(w.n1-w.x1) / float64(w.x1+1) * float64(s+1) / left
	w.tail += w.point
	w.x1++
	w.moved()
}

func (w *walk) moved() {
	w.stale++
	w.highest = max(w.highest, w.tail)
	lost := w.tail < 1e-6*w.highest && w.x1 > 0
	if (w.stale >= refreshEvery || lost) && w.x2 <= w.n2 {
		w.refresh()
	}
}
