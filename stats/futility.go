package stats

// futility is the part of the continuing outcomes of each look from which a difference of
// the assumed size would hardly be shown any more.
type futility struct {
	// least is, per look, the smallest failure count of one arm, for each count of the
	// other, at which it is still worth going on; nil at the last look.
	least [][]int32
}

// newFutility works backwards from the last look: the conditional power of an outcome is
// the chance, at the assumed rates of the worse and the better arm, to end in the set
// that shows the first better. Going on is futile when that is below the threshold
// whichever arm is taken for the better one. The boundary is made without regard to
// futility, so going on nevertheless breaks no promise.
func newFutility(b boundary, worse, better, threshold float64) futility {
	last := len(b.looks) - 1
	f := futility{least: make([][]int32, len(b.looks))}
	v := newPower(b.looks[last], worse, better)
	v.settle(b.sets[last])
	for k := last - 1; k >= 0; k-- {
		for v.n > b.looks[k] {
			v.back(b.sets[k], b.looks[k])
		}
		f.least[k] = v.leastPromising(b.sets[k], threshold)
		v.settle(b.sets[k])
	}
	return f
}

// at says whether the outcome x1, x2 of look k is futile.
func (f futility) at(k, x1, x2 int) bool {
	if k >= len(f.least) || f.least[k] == nil {
		return false
	}
	return x1 < int(f.least[k][x2]) && x2 < int(f.least[k][x1])
}

// power holds the conditional power of every outcome after n trials per arm: row is the
// failures of the worse arm, column those of the better.
type power struct {
	n, width      int
	worse, better float64
	value         []float64
}

func newPower(most int, worse, better float64) *power {
	return &power{n: most, width: most + 1, worse: worse, better: better, value: make([]float64, (most+1)*(most+1))}
}

// settle writes what is certain at a look: 1 where the design stops for the better arm, 0
// where it stops for the other. At the last look everything else is 0 already.
func (v *power) settle(set staircase) {
	for x1 := 0; x1 <= v.n; x1++ {
		for x2 := int(set.from[x1]); x2 <= v.n; x2++ {
			v.value[x2*v.width+x1] = 1
			v.value[x1*v.width+x2] = 0
		}
	}
}

// back steps from n to n-1 trials per arm, for the outcomes that can be reached from
// those that go on after the previous look. Each is written after the last use of its
// old value.
func (v *power) back(previous staircase, look int) {
	v.n--
	steps := v.n - look
	first := 0 // smallest better count that goes on with these failures of the worse arm
	for x1 := 0; x1 <= v.n; x1++ {
		row := max(0, x1-steps)
		for first <= look && int(previous.from[first]) <= row {
			first++
		}
		end := min(v.n, int(previous.from[min(x1, look)])-1+steps)
		now, next := v.value[x1*v.width:], v.value[(x1+1)*v.width:]
		for x2 := first; x2 <= end; x2++ {
			now[x2] = (1-v.worse)*((1-v.better)*now[x2]+v.better*now[x2+1]) +
				v.worse*((1-v.better)*next[x2]+v.better*next[x2+1])
		}
	}
}

// leastPromising finds, for each failure count of the better arm, the smallest count of
// the worse one whose conditional power reaches the threshold; past the boundary at the
// latest.
func (v *power) leastPromising(set staircase, threshold float64) []int32 {
	least := make([]int32, v.n+1)
	x1 := 0
	for x2 := range least {
		for x1 < int(set.from[x2]) && x1 <= v.n && v.promise(set, x1, x2) < threshold {
			x1++
		}
		least[x2] = int32(x1)
	}
	return least
}

// promise is the conditional power of an outcome, 0 where the design stops for the other
// arm.
func (v *power) promise(set staircase, x1, x2 int) float64 {
	if x2 >= int(set.from[x1]) {
		return 0
	}
	return v.value[x1*v.width+x2]
}
