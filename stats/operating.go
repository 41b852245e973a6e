package stats

// Operating is how a sequential design behaves at two given rates, computed and not
// simulated.
type Operating struct {
	Better  float64 `json:"better"`   // chance to stop with the variant below the baseline
	Worse   float64 `json:"worse"`    // chance to stop with the variant above the baseline
	Futile  float64 `json:"futile"`   // chance to stop early without a difference
	MeanArm float64 `json:"mean_arm"` // mean trials per arm
}

// operating adds up the paths that each look stops.
func operating(b boundary, f futility, base, variant float64) Operating {
	most := b.looks[len(b.looks)-1]
	p := newPaths(most)
	var o Operating
	going, before := 1.0, 0
	for k, n := range b.looks {
		o.MeanArm += going * float64(n-before)
		before = n
		for p.n < n {
			p.advance()
		}
		table := ratios(n)
		s := stopping{paths: p, set: b.sets[k], base: table.row(base), variant: table.row(variant)}
		better, worse := s.differences()
		futile := 0.0
		if k < len(b.looks)-1 {
			futile = s.futile(f, k)
		}
		o.Better, o.Worse, o.Futile = o.Better+better, o.Worse+worse, o.Futile+futile
		going -= better + worse + futile
	}
	return o
}

// stopping is one look: the first arm of paths is the baseline.
type stopping struct {
	paths         *paths
	set           staircase
	base, variant []float64
}

func (s stopping) take(x1, x2 int) float64 {
	return s.paths.at(x1, x2) * s.base[x1] * s.variant[x2]
}

// differences sums and removes what stops with a difference.
func (s stopping) differences() (better, worse float64) {
	for low, from := range s.set.from {
		for high := int(from); high <= s.paths.n; high++ {
			better += s.take(high, low)
			worse += s.take(low, high)
		}
	}
	stopAt(s.paths, s.set)
	return better, worse
}

// futile sums and removes what stops without one.
func (s stopping) futile(f futility, k int) float64 {
	sum := 0.0
	for x1 := 0; x1 <= s.paths.n; x1++ {
		row := s.paths.row(x1)
		for x2 := s.paths.low[x1]; x2 < s.paths.high[x1]; x2++ {
			if row[x2] > 0 && f.at(k, x1, x2) {
				sum += s.take(x1, x2)
				row[x2] = 0
			}
		}
	}
	return sum
}
