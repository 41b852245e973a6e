package stats

// paths holds, for every pair of failure counts after n trials per arm, the chance that
// a sequence with these counts has not been stopped before, given the counts. All orders
// of the same counts are equally likely whatever the rates, so one table serves every
// pair of rates: the probability to be at (x1, x2) unstopped is
// paths · Binomial(x1; n, rate1) · Binomial(x2; n, rate2).
type paths struct {
	n    int
	most int       // largest n it has room for
	stay []float64 // row x1 begins at x1·(most+1)
	low  []int     // row x1 is zero outside x2 in [low, high)
	high []int
}

func newPaths(most int) *paths {
	p := &paths{
		most: most, stay: make([]float64, (most+1)*(most+1)),
		low: make([]int, most+1), high: make([]int, most+1),
	}
	p.stay[0], p.high[0] = 1, 1
	return p
}

// row is the whole row of x1, of which [low, high) can be non-zero.
func (p *paths) row(x1 int) []float64 {
	return p.stay[x1*(p.most+1) : (x1+1)*(p.most+1)]
}

func (p *paths) at(x1, x2 int) float64 { return p.stay[x1*(p.most+1)+x2] }

// keep drops everything in row x1 outside [low, high): those sequences are stopped.
func (p *paths) keep(x1, low, high int) {
	low, high = max(low, p.low[x1]), min(high, p.high[x1])
	if low >= high {
		clear(p.row(x1)[p.low[x1]:p.high[x1]])
		p.low[x1], p.high[x1] = 0, 0
		return
	}
	clear(p.row(x1)[p.low[x1]:low])
	clear(p.row(x1)[high:p.high[x1]])
	p.low[x1], p.high[x1] = low, high
}

// advance adds one trial to each arm. Given x failures among n trials, the last one
// failed with chance x/n; the arms are independent, so one follows the other.
func (p *paths) advance() {
	p.n++
	for x1 := p.n; x1 > 0; x1-- { // downwards, so that the row before is still the old one
		p.addFailed(x1, float64(x1)/float64(p.n))
	}
	for x1 := 0; x1 <= p.n; x1++ {
		p.addSecondArm(x1)
	}
}

// addFailed gives row x1 the share of sequences whose last trial of the first arm failed
// and takes away the rest of what it held.
func (p *paths) addFailed(x1 int, failed float64) {
	low, high := p.low[x1], p.high[x1]
	if p.high[x1-1] > p.low[x1-1] {
		if high == low {
			low, high = p.low[x1-1], p.high[x1-1]
		}
		low, high = min(low, p.low[x1-1]), max(high, p.high[x1-1])
	}
	to, from := p.row(x1)[low:high], p.row(x1 - 1)[low:high]
	for i, v := range from {
		to[i] += failed * (v - to[i])
	}
	p.low[x1], p.high[x1] = low, high
}

func (p *paths) addSecondArm(x1 int) {
	low, high := p.low[x1], p.high[x1]
	if low == high {
		return
	}
	row, n := p.row(x1), 1/float64(p.n)
	row[high] = float64(high) * n * row[high-1]
	for x2 := high - 1; x2 > low; x2-- {
		row[x2] += float64(x2) * n * (row[x2-1] - row[x2])
	}
	row[low] -= float64(low) * n * row[low]
	p.high[x1] = high + 1
}
