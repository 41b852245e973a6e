package stats

import (
	"testing"
)

// The table of paths, weighted with binomial probabilities, must give the same stopping
// probabilities as following every state with given rates, one trial at a time.
func TestPathsMatchAForwardWalk(t *testing.T) {
	t.Parallel()
	b := newBoundary([]int{5, 8, 12, 17}, 0.1, 1)
	for _, rates := range [][2]float64{{0.3, 0.3}, {0.5, 0.1}, {0.05, 0.4}, {1, 0}} {
		got := operating(b, futility{}, rates[0], rates[1])
		better, worse, mean := forwardWalk(b, rates[0], rates[1])
		if !near(got.Better, better, 1e-11) || !near(got.Worse, worse, 1e-11) || !near(got.MeanArm, mean, 1e-11) {
			t.Errorf("rates %v: %+v, want better %v, worse %v, mean %v", rates, got, better, worse, mean)
		}
	}
}

func forwardWalk(b boundary, base, variant float64) (better, worse, mean float64) {
	state := map[[2]int]float64{{0, 0}: 1}
	n := 0
	for k, look := range b.looks {
		for ; n < look; n++ {
			next := map[[2]int]float64{}
			going := 0.0
			for x, p := range state {
				going += p
				next[[2]int{x[0] + 1, x[1] + 1}] += p * base * variant
				next[[2]int{x[0] + 1, x[1]}] += p * base * (1 - variant)
				next[[2]int{x[0], x[1] + 1}] += p * (1 - base) * variant
				next[x] += p * (1 - base) * (1 - variant)
			}
			state, mean = next, mean+going
		}
		for x, p := range state {
			switch {
			case x[0] >= int(b.sets[k].from[x[1]]):
				better += p
				delete(state, x)
			case x[1] >= int(b.sets[k].from[x[0]]):
				worse += p
				delete(state, x)
			}
		}
	}
	return better, worse, mean
}

// Whatever the common rate, the chance to ever stop with a difference is at most alpha;
// and it comes near alpha somewhere, or the boundary wastes trials.
func TestBoundaryKeepsItsErrorRate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		request SequentialRequest
		least   float64 // of the largest error rate, as a share of alpha
	}{
		{SequentialRequest{MaxPerArm: 30}, 0.97},
		{SequentialRequest{MaxPerArm: 51}, 0.98},
		{SequentialRequest{MaxPerArm: 60, Every: 10}, 0.97},
		{SequentialRequest{MaxPerArm: 60, Every: 5, Spending: 3}, 0.97},
		{SequentialRequest{MaxPerArm: 40, Family: 3}, 0.9},
		{SequentialRequest{MaxPerArm: 60, Claims: Claims{Confidence: 0.99}}, 0.9},
		{SequentialRequest{MaxPerArm: 90, Every: 30}, 0.97},
	} {
		r, err := c.request.withDefaults()
		if err != nil {
			t.Fatal(err)
		}
		b := newBoundary(r.looks(), r.alpha(), r.Spending)
		worst := 0.0
		for _, rate := range lowerHalf(evenRates(300)) {
			o := operating(b, futility{}, rate, rate)
			worst = max(worst, o.Better+o.Worse)
		}
		if worst > r.alpha() || worst < c.least*r.alpha() {
			t.Errorf("%+v: error rate up to %v, want at most %v and at least %v of it", c.request, worst, r.alpha(), c.least)
		}
	}
}

// What is spent up to a look is at most what the spending function allows there.
func TestBoundarySpendsAsPlanned(t *testing.T) {
	t.Parallel()
	looks := []int{10, 20, 30, 40, 50}
	full := newBoundary(looks, 0.05, 2)
	for k, n := range looks {
		share := float64(n) / 50
		worst := 0.0
		for _, rate := range lowerHalf(evenRates(200)) {
			o := operating(boundary{looks: looks[:k+1], sets: full.sets[:k+1]}, futility{}, rate, rate)
			worst = max(worst, o.Better+o.Worse)
		}
		if worst > 0.05*share*share {
			t.Errorf("up to %d trials per arm %v is spent, want at most %v", n, worst, 0.05*share*share)
		}
	}
}

// Adding a failure to the lower arm, or taking one from the higher, must not turn "no
// difference" into a difference.
func TestBoundaryIsMonotone(t *testing.T) {
	t.Parallel()
	b := newBoundary([]int{10, 20, 30, 40}, 0.05, 1)
	for k, set := range b.sets {
		for x1 := 1; x1 <= b.looks[k]; x1++ {
			if set.from[x1] < set.from[x1-1] || int(set.from[x1]) <= x1 {
				t.Fatalf("look %d: from[%d] = %d after %d", k, x1, set.from[x1], set.from[x1-1])
			}
		}
	}
}

// Conditional power by the plain recursion, on a design small enough for it.
func TestFutilityIsConditionalPower(t *testing.T) {
	t.Parallel()
	b := newBoundary([]int{5, 8, 11, 14}, 0.1, 1)
	const worse, better, threshold = 0.6, 0.15, 0.3
	f := newFutility(b, worse, better, threshold)
	for k := range b.looks[:3] {
		n := b.looks[k]
		set := b.sets[k]
		for x1 := 0; x1 <= n; x1++ {
			for x2 := 0; x2 <= n; x2++ {
				if x2 >= int(set.from[x1]) || x1 >= int(set.from[x2]) {
					continue // stops with a difference
				}
				high := max(chance(b, k, n, x1, x2, worse, better), chance(b, k, n, x2, x1, worse, better))
				if got := f.at(k, x1, x2); got != (high < threshold) {
					t.Errorf("look at %d: %d and %d: futile %v, conditional power %v", n, x1, x2, got, high)
				}
			}
		}
	}
}

// chance is that to end with the second arm shown better, from x1, x2 after n trials per
// arm and look k.
func chance(b boundary, k, n, x1, x2 int, worse, better float64) float64 {
	if n == b.looks[min(k+1, len(b.looks)-1)] {
		k++
		set := b.sets[k]
		switch {
		case x1 >= int(set.from[x2]):
			return 1
		case x2 >= int(set.from[x1]) || k == len(b.looks)-1:
			return 0
		}
	}
	return worse*better*chance(b, k, n+1, x1+1, x2+1, worse, better) +
		worse*(1-better)*chance(b, k, n+1, x1+1, x2, worse, better) +
		(1-worse)*better*chance(b, k, n+1, x1, x2+1, worse, better) +
		(1-worse)*(1-better)*chance(b, k, n+1, x1, x2, worse, better)
}
