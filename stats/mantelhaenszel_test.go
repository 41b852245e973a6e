package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

type pooledCase struct {
	VariantK  []int64 `json:"variant_k"`
	VariantN  []int64 `json:"variant_n"`
	BaseK     []int64 `json:"base_k"`
	BaseN     []int64 `json:"base_n"`
	Level     float64
	RD, OR, P float64
	RDLow     float64 `json:"rd_low"`
	RDHigh    float64 `json:"rd_high"`
	ORLow     float64 `json:"or_low"`
	ORHigh    float64 `json:"or_high"`
	Tarone    float64 `json:"tarone_p"`
}

func (c pooledCase) strata() []Stratum {
	s := make([]Stratum, len(c.BaseK))
	for i := range s {
		s[i] = Stratum{Base: Count{c.BaseK[i], c.BaseN[i]}, Variant: Count{c.VariantK[i], c.VariantN[i]}}
	}
	return s
}

func TestMantelHaenszelMatchesMetafor(t *testing.T) {
	t.Parallel()
	homogeneity := readReference[struct{ P float64 }](t, "homogeneity.json")
	for i, c := range readReference[pooledCase](t, "mantelhaenszel.json") {
		got, err := MantelHaenszel(c.strata(), c.Level)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []struct {
			name      string
			got, want float64
		}{
			{"difference", got.Difference, c.RD},
			{"difference low", got.DiffRange.Low, c.RDLow},
			{"difference high", got.DiffRange.High, c.RDHigh},
			{"odds ratio", got.OddsRatio, c.OR},
			{"odds ratio low", got.OddsRange.Low, c.ORLow},
			{"odds ratio high", got.OddsRange.High, c.ORHigh},
			{"p", got.P, c.P},
			{"odds homogeneity", got.OddsHomogeneityP, c.Tarone},
		} {
			if !near(x.got, x.want, 1e-7) {
				t.Errorf("case %d: %s %v, want %v", i, x.name, x.got, x.want)
			}
		}
		// The reference's optimiser finds the restricted rates to about six digits.
		if want := homogeneity[i].P; !near(got.DiffHomogeneityP, want, 1e-6) {
			t.Errorf("case %d: difference homogeneity %v, want %v", i, got.DiffHomogeneityP, want)
		}
	}
}

// Simpson's paradox: the variant is better in each stratum and worse in the sum.
func TestMantelHaenszelDoesNotSumCounts(t *testing.T) {
	t.Parallel()
	strata := []Stratum{
		{Name: "none", Base: Count{10, 500}, Variant: Count{0, 100}},
		{Name: "cpu-2x", Base: Count{50, 100}, Variant: Count{200, 500}},
	}
	p, err := MantelHaenszel(strata, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	if p.Difference >= 0 || p.OddsRatio >= 1 {
		t.Errorf("difference %v, odds ratio %v; want the variant better", p.Difference, p.OddsRatio)
	}
}

// With one stratum the pooled difference is the plain one and nothing can disagree.
func TestMantelHaenszelOfOneStratum(t *testing.T) {
	t.Parallel()
	p, err := MantelHaenszel([]Stratum{{Base: Count{16, 100}, Variant: Count{4, 80}}}, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	if !near(p.Difference, 4.0/80-16.0/100, 1e-13) || !near(p.OddsRatio, (4*84.0)/(76*16.0), 1e-13) {
		t.Errorf("%+v", p)
	}
	if p.DiffHomogeneityP != 1 || p.OddsHomogeneityP != 1 || len(p.Warnings) != 0 {
		t.Errorf("homogeneity of one stratum: %+v", p)
	}
}

func TestMantelHaenszelWithoutFailures(t *testing.T) {
	t.Parallel()
	p, err := MantelHaenszel([]Stratum{{Base: Count{5, 40}, Variant: Count{0, 40}}, {Base: Count{3, 40}, Variant: Count{0, 40}}}, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	if p.OddsRatio != 0 || !math.IsInf(p.OddsRange.High, 1) || len(p.Warnings) != 1 || p.Warnings[0].Code != WarnSparseStrata {
		t.Errorf("variant never fails: %+v", p)
	}
	p, err = MantelHaenszel([]Stratum{{Base: Count{0, 40}, Variant: Count{0, 40}}, {Base: Count{0, 9}, Variant: Count{0, 9}}}, 0.95)
	if err != nil || p.P != 1 || p.Difference != 0 || p.DiffHomogeneityP != 1 || p.OddsHomogeneityP != 1 {
		t.Errorf("nothing ever fails: %+v, %v", p, err)
	}
}

// When the odds ratio is the same in all strata, the warning appears at most at its
// stated rate; when the effect turns round, it appears.
func TestHomogeneityWarning(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 11))
	fired, campaigns := 0, 2000
	for range campaigns {
		strata := make([]Stratum, 4)
		for i := range strata {
			base := 0.1 + 0.1*float64(i)
			strata[i] = Stratum{Base: draw(rng, base, 200), Variant: draw(rng, base, 200)}
		}
		p, err := MantelHaenszel(strata, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		fired += len(p.Warnings)
	}
	if rate := float64(fired) / float64(campaigns); rate > 0.06 || rate < 0.015 {
		t.Errorf("warned in %v of homogeneous campaigns, want at most 0.05 and not far below", rate)
	}
	p, err := MantelHaenszel([]Stratum{{Base: Count{5, 100}, Variant: Count{40, 100}}, {Base: Count{40, 100}, Variant: Count{5, 100}}}, 0.95)
	if err != nil || len(p.Warnings) != 1 || p.Warnings[0].Code != WarnHeterogeneous {
		t.Errorf("opposite effects: %+v, %v", p.Warnings, err)
	}
}

// draw is the count of n simulated trials at a rate.
func draw(rng *rand.Rand, rate float64, n int) Count {
	c := Count{N: int64(n)}
	for range n {
		if rng.Float64() < rate {
			c.K++
		}
	}
	return c
}

func TestMantelHaenszelRefusesBadInput(t *testing.T) {
	t.Parallel()
	good := Stratum{Name: "none", Base: Count{1, 10}, Variant: Count{1, 10}}
	if _, err := MantelHaenszel(nil, 0.95); !errors.Is(err, ErrCount) {
		t.Errorf("no strata: %v", err)
	}
	if _, err := MantelHaenszel([]Stratum{good, {Name: "x"}}, 0.95); !errors.Is(err, ErrCount) {
		t.Errorf("empty stratum: %v", err)
	}
	if _, err := MantelHaenszel([]Stratum{good}, 1); !errors.Is(err, ErrLevel) {
		t.Errorf("level 1: %v", err)
	}
}
