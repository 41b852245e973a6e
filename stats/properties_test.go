package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// anyCount draws a count over all sizes, with 0 and n often.
func anyCount(rng *rand.Rand, most float64) Count {
	n := int64(math.Exp(rng.Float64() * math.Log(most)))
	k := int64(rng.Float64() * float64(n+1))
	switch rng.IntN(6) {
	case 0:
		k = 0
	case 1:
		k = n
	case 2:
		k = min(n, int64(rng.IntN(20)))
	}
	return Count{K: min(k, n), N: n}
}

func anyLevel(rng *rand.Rand) float64 {
	switch rng.IntN(4) {
	case 0:
		return 1 - math.Pow(10, -1-8*rng.Float64())
	case 1:
		return math.Pow(10, -8*rng.Float64()) * 0.999
	}
	return 0.5 + 0.499*rng.Float64()
}

// Whatever the counts, up to 10⁹ trials, and whatever the level: an interval is ordered,
// in range and holds the observed value, a p-value lies in (0, 1], and neither is NaN.
func TestNoInputMakesNonsense(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(90, 1))
	for range 400 {
		c, level := anyCount(rng, 1e9), anyLevel(rng)
		for _, make := range []func(Count, float64) (Interval, error){Wilson, ClopperPearson, Jeffreys, ConfidenceSequence} {
			iv, err := make(c, level)
			if err != nil {
				t.Fatalf("%v at %v: %v", c, level, err)
			}
			// At a level of 10⁻⁸ an interval is narrower than its own rounding, and
			// Jeffreys' does not hold the observed rate.
			slack := 1e-12
			if iv.Method == MethodJeffreys {
				slack = 1
			}
			if !(iv.Low >= 0 && iv.Low <= iv.High && iv.High <= 1) || iv.Low > c.Rate()+slack || iv.High < c.Rate()-slack {
				t.Errorf("%v at %v: %+v", c, level, iv)
			}
			if Words(c, iv) == "" {
				t.Errorf("%v at %v: no words", c, level)
			}
		}
	}
}

func TestNoPairMakesNonsense(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(90, 2))
	for range 150 {
		base, variant, level := anyCount(rng, 1e9), anyCount(rng, 1e9), anyLevel(rng)
		d, err := Newcombe(base, variant, level)
		observed := variant.Rate() - base.Rate()
		if err != nil || !(d.Low >= -1 && d.Low <= observed+1e-12 && d.High >= observed-1e-12 && d.High <= 1) {
			t.Errorf("difference of %v and %v at %v: %+v, %v", base, variant, level, d, err)
		}
		r, err := Koopman(base, variant, level)
		if err != nil || !(r.Low >= 0 && r.Low <= r.High) || base.K > 0 && (r.Low > variant.Rate()/base.Rate()*(1+1e-9) || r.High < variant.Rate()/base.Rate()*(1-1e-9)) {
			t.Errorf("ratio of %v and %v at %v: %+v, %v", base, variant, level, r, err)
		}
		if p, err := Fisher(base, variant); err != nil || !(p >= 0 && p <= 1) {
			t.Errorf("fisher of %v and %v: %v, %v", base, variant, p, err)
		}
		small, other := anyCount(rng, 3000), anyCount(rng, 3000)
		fisher, _ := Fisher(small, other)
		p, err := Boschloo(small, other)
		if err != nil || !(p >= 0 && p <= 1) {
			t.Errorf("boschloo of %v and %v: %v, %v", small, other, p, err)
		}
		// Each side of Boschloo's is at most Fisher's side, and that at most Fisher's
		// two-sided value.
		if p > 2*fisher*(1+1e-9) {
			t.Errorf("boschloo of %v and %v: %v, more than twice fisher's %v", small, other, p, fisher)
		}
		out, err := Judge(Arm{Count: small}, []Arm{{Count: other, Excluded: int64(rng.IntN(5))}}, Claims{Margin: 0.05, Tolerate: 0.02})
		if err != nil || out[0].Reason == "" || math.IsNaN(out[0].AdjustedP) {
			t.Errorf("judge %v and %v: %+v, %v", small, other, out, err)
		}
	}
}
