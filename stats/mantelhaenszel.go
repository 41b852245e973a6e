package stats

import (
	"fmt"
	"math"
)

// Stratum is one pair of cells that may be compared: the same platform, stress and
// parameters.
type Stratum struct {
	Name    string
	Base    Count
	Variant Count
}

// Pooled is the effect of a variant over several strata, each compared within itself.
type Pooled struct {
	Strata     int      `json:"strata"`
	Difference float64  `json:"difference"` // variant minus baseline
	DiffRange  Interval `json:"difference_interval"`
	OddsRatio  float64  `json:"odds_ratio"` // variant over baseline; NaN when no arm says anything
	OddsRange  Interval `json:"odds_ratio_interval"`
	P          float64  `json:"p"` // Cochran–Mantel–Haenszel, without continuity correction

	// Homogeneity: small values say that one number for all strata hides something.
	DiffHomogeneityP float64 `json:"difference_homogeneity_p"`
	OddsHomogeneityP float64 `json:"odds_ratio_homogeneity_p"`

	Warnings []Warning `json:"warnings"`
}

// MantelHaenszel pools strata: Mantel and Haenszel 1959, Journal of the National Cancer
// Institute 22, 719–748. The interval of the difference is that of Sato, Greenland and
// Robins 1989 (Biometrics 45, 1323–1324), the one of the odds ratio that of Robins,
// Breslow and Greenland 1986 (Biometrics 42, 311–323). Homogeneity is tested by a score
// statistic for differences and by Breslow and Day with Tarone's correction for odds.
// A warning says when the strata disagree at the five per cent level.
func MantelHaenszel(strata []Stratum, level float64) (Pooled, error) {
	if err := checkOpen("confidence", level); err != nil {
		return Pooled{}, err
	}
	if len(strata) == 0 {
		return Pooled{}, fmt.Errorf("no stratum to pool: %w", ErrCount)
	}
	tables := make([]fourfold, len(strata))
	for i, s := range strata {
		if err := checkArms(s.Base, s.Variant); err != nil {
			return Pooled{}, fmt.Errorf("stratum %q: %w", s.Name, err)
		}
		tables[i] = newFourfold(s)
	}
	p := Pooled{Strata: len(strata), Warnings: []Warning{}}
	p.poolDifference(tables, level)
	p.poolOdds(tables, level)
	p.P = cochranMantelHaenszel(tables)
	p.DiffHomogeneityP = differenceHomogeneity(tables, p.Difference)
	p.OddsHomogeneityP = oddsHomogeneity(tables, p.OddsRatio)
	p.warn()
	return p, nil
}

// fourfold is a stratum as a, b: variant failed, passed; c, d: baseline failed, passed.
type fourfold struct{ a, b, c, d, n1, n0, n float64 }

func newFourfold(s Stratum) fourfold {
	f := fourfold{
		a: float64(s.Variant.K), b: float64(s.Variant.N - s.Variant.K), n1: float64(s.Variant.N),
		c: float64(s.Base.K), d: float64(s.Base.N - s.Base.K), n0: float64(s.Base.N),
	}
	f.n = f.n1 + f.n0
	return f
}

func (f fourfold) difference() float64 { return f.a/f.n1 - f.c/f.n0 }

func (p *Pooled) poolDifference(tables []fourfold, level float64) {
	var weight, sum, ps, qs float64
	for _, f := range tables {
		w := f.n1 * f.n0 / f.n
		weight += w
		sum += w * f.difference()
		ps += (f.n1*f.n1*f.c - f.n0*f.n0*f.a + f.n1*f.n0*(f.n0-f.n1)/2) / (f.n * f.n)
		qs += (f.a*f.d + f.c*f.b) / (2 * f.n)
	}
	p.Difference = sum / weight
	half := twoSidedZ(level) * math.Sqrt(max(0, p.Difference*ps+qs)) / weight
	p.DiffRange = Interval{
		Low: max(-1, p.Difference-half), High: min(1, p.Difference+half),
		Level: level, Method: MethodMHDifference,
	}
}

func (p *Pooled) poolOdds(tables []fourfold, level float64) {
	var r, s, pr, psqr, qs float64
	for _, f := range tables {
		ri, si, pi := f.a*f.d/f.n, f.b*f.c/f.n, (f.a+f.d)/f.n
		r, s = r+ri, s+si
		pr += pi * ri
		psqr += pi*si + (1-pi)*ri
		qs += (1 - pi) * si
	}
	p.OddsRatio = r / s
	p.OddsRange = Interval{Low: 0, High: math.Inf(1), Level: level, Method: MethodMHOddsRatio}
	if r > 0 && s > 0 {
		half := twoSidedZ(level) * math.Sqrt((pr/(r*r)+psqr/(r*s)+qs/(s*s))/2)
		p.OddsRange.Low, p.OddsRange.High = p.OddsRatio*math.Exp(-half), p.OddsRatio*math.Exp(half)
	}
}

// cochranMantelHaenszel is the p-value that no stratum has an effect.
func cochranMantelHaenszel(tables []fourfold) float64 {
	var excess, variance float64
	for _, f := range tables {
		fails := f.a + f.c
		excess += f.a - f.n1*fails/f.n
		if f.n > 1 {
			variance += f.n1 / f.n * f.n0 / f.n * fails * (f.n - fails) / (f.n - 1)
		}
	}
	if variance == 0 {
		return 1
	}
	return normalTwoSided(excess / math.Sqrt(variance))
}

// homogeneityAlpha is the level at which strata count as disagreeing.
const homogeneityAlpha = 0.05

func (p *Pooled) warn() {
	// Two tests of the same doubt: twice the smaller value keeps the stated rate.
	if either := min(1, 2*min(p.DiffHomogeneityP, p.OddsHomogeneityP)); either < homogeneityAlpha {
		p.Warnings = append(p.Warnings, Warning{
			Code: WarnHeterogeneous, P: either,
			Facts: fmt.Sprintf("the effect differs between the %d strata (p %.2g for differences, %.2g for odds)",
				p.Strata, p.DiffHomogeneityP, p.OddsHomogeneityP),
			Advice: "read the strata one by one",
		})
	}
	if math.IsInf(p.OddsRange.High, 1) {
		p.Warnings = append(p.Warnings, Warning{
			Code:   WarnSparseStrata,
			Facts:  "an arm has no failures, or nothing else, in every stratum, so the odds ratio has no interval",
			Advice: "use the difference",
		})
	}
}
