package stats

import (
	"encoding/json"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Method names how an interval was made. It is part of the value, so that no report can
// print an interval without being able to say which one it is.
type Method string

// The methods of this package.
const (
	MethodWilson         Method = "wilson"
	MethodClopperPearson Method = "clopper-pearson"
	MethodJeffreys       Method = "jeffreys"
	MethodKornGraubard   Method = "korn-graubard"
	MethodNewcombe       Method = "newcombe"
	MethodKoopman        Method = "koopman"
	MethodMHDifference   Method = "mantel-haenszel-difference"
	MethodMHOddsRatio    Method = "mantel-haenszel-odds-ratio"
	MethodOrderStatistic Method = "order-statistic"
	MethodHodgesLehmann  Method = "hodges-lehmann"
	MethodAnytime        Method = "confidence-sequence"
	MethodGroupSeq       Method = "group-sequential-repeated"
	MethodExposure       Method = "exposure-product"
)

// Interval is a two-sided confidence interval. High is +Inf for a ratio whose baseline
// never failed; JSON writes an unbounded end as null.
type Interval struct {
	Low    float64
	High   float64
	Level  float64 // confidence, such as 0.95
	Method Method
}

// Width is High minus Low.
func (iv Interval) Width() float64 { return iv.High - iv.Low }

// Contains says whether x lies in the closed interval.
func (iv Interval) Contains(x float64) bool { return iv.Low <= x && x <= iv.High }

type intervalJSON struct {
	Low    *float64 `json:"low"`
	High   *float64 `json:"high"`
	Level  float64  `json:"level"`
	Method Method   `json:"method"`
}

// MarshalJSON writes low, high, level and method; an infinite end becomes null.
func (iv Interval) MarshalJSON() ([]byte, error) {
	out := intervalJSON{Level: iv.Level, Method: iv.Method}
	if !math.IsInf(iv.Low, 0) {
		out.Low = &iv.Low
	}
	if !math.IsInf(iv.High, 0) {
		out.High = &iv.High
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON writes; a null end is unbounded.
func (iv *Interval) UnmarshalJSON(data []byte) error {
	var in intervalJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return fmt.Errorf("interval: %w", err)
	}
	*iv = Interval{Low: math.Inf(-1), High: math.Inf(1), Level: in.Level, Method: in.Method}
	if in.Low != nil {
		iv.Low = *in.Low
	}
	if in.High != nil {
		iv.High = *in.High
	}
	return nil
}

// RateInterval is the interval for one rate by the named method; the empty method means
// Wilson. Korn–Graubard needs the rounds of each trial and is not reachable from here.
func RateInterval(method Method, c Count, level float64) (Interval, error) {
	switch method {
	case "", MethodWilson:
		return Wilson(c, level)
	case MethodClopperPearson:
		return ClopperPearson(c, level)
	case MethodJeffreys:
		return Jeffreys(c, level)
	default:
		return Interval{}, fmt.Errorf("interval method %q: use %q, %q or %q",
			string(method), MethodWilson, MethodClopperPearson, MethodJeffreys)
	}
}

// checkRate validates what every single-rate interval takes.
func checkRate(c Count, level float64) error {
	if err := c.Check(); err != nil {
		return err
	}
	return checkOpen("confidence", level)
}

// twoSidedZ is the normal quantile that leaves (1-level)/2 in the upper tail. The lower
// tail is asked for and negated because 1-x would round small tails away.
func twoSidedZ(level float64) float64 {
	return -distuv.UnitNormal.Quantile((1 - level) / 2)
}

// normalTwoSided is the probability that a standard normal lies at least |z| from zero.
// math.Erfc keeps its digits where gonum's Survival (one minus the lower tail) has lost
// them all: beyond z = 8 the latter returns 0.
func normalTwoSided(z float64) float64 { return math.Erfc(math.Abs(z) / math.Sqrt2) }
