package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

const (
	// fewestClusters is the number of trials below which the spread between trials says
	// too little, and every trial counts as one observation.
	fewestClusters = 5
	// enoughClusters is the number below which the measured spread is used but doubted.
	enoughClusters = 15
)

// Clustered is the rate over the rounds of several trials, with what the likeness of
// rounds inside one trial costs.
type Clustered struct {
	Count      Count     `json:"count"`       // failing rounds of all rounds
	Trials     int       `json:"trials"`      // clusters
	Deff       float64   `json:"deff"`        // design effect that was used, at least 1
	EffectiveN float64   `json:"effective_n"` // independent rounds of the same worth
	Interval   Interval  `json:"interval"`
	Warnings   []Warning `json:"warnings"`
}

// KornGraubard is the interval for a rate whose rounds are clustered in trials: Korn and
// Graubard 1998, Survey Methodology 24, 193–201. The variance between trials gives an
// effective number of rounds, reduced by a factor for the degrees of freedom (number of
// trials minus one), and the Clopper–Pearson limits of that many rounds are taken. It is
// never narrower than the Clopper–Pearson interval of the rounds as if independent.
//
// Each count holds the rounds of one trial. When every round failed or none did, or with
// fewer than five trials, the likeness cannot be measured: then every trial counts as one
// observation, and a warning says so.
func KornGraubard(trials []Count, level float64) (Clustered, error) {
	if err := checkOpen("confidence", level); err != nil {
		return Clustered{}, err
	}
	if len(trials) == 0 {
		return Clustered{}, fmt.Errorf("no trial has rounds: %w", ErrCount)
	}
	c := Clustered{Trials: len(trials), Warnings: []Warning{}}
	for i, trial := range trials {
		if err := trial.Check(); err != nil {
			return Clustered{}, fmt.Errorf("rounds of trial %d: %w", i, err)
		}
		c.Count = c.Count.Add(trial)
	}
	if err := c.Count.Check(); err != nil {
		return Clustered{}, fmt.Errorf("rounds of %d trials: %w", len(trials), err)
	}
	c.EffectiveN = c.effectiveRounds(trials, level)
	c.Deff = float64(c.Count.N) / c.EffectiveN
	low, high := clopperLimits(c.Count.Rate()*c.EffectiveN, c.EffectiveN, (1-level)/2)
	c.Interval = Interval{Low: low, High: high, Level: level, Method: MethodKornGraubard}
	return c, nil
}

// effectiveRounds chooses between the measured design effect and the fallback, and warns.
func (c *Clustered) effectiveRounds(trials []Count, level float64) float64 {
	rounds, m := float64(c.Count.N), float64(len(trials))
	if rounds == m { // one round per trial: not clustered at all
		return rounds
	}
	measured, known := measuredRounds(trials, c.Count.Rate(), level)
	switch {
	case !known:
		c.Warnings = append(c.Warnings, Warning{Code: WarnClustersUnknown,
			Facts: fmt.Sprintf("how alike the rounds of one trial are cannot be measured from %d of %d failing rounds in %d trials",
				c.Count.K, c.Count.N, len(trials)),
			Advice: "each trial counts as one observation; run more trials rather than more rounds"})
		return m
	case len(trials) < fewestClusters:
		c.Warnings = append(c.Warnings, Warning{Code: WarnFewClusters,
			Facts:  fmt.Sprintf("%d trials are too few to measure how alike their rounds are", len(trials)),
			Advice: fmt.Sprintf("each trial counts as one observation; run at least %d trials", enoughClusters)})
		return min(measured, m)
	case len(trials) < enoughClusters:
		c.Warnings = append(c.Warnings, Warning{Code: WarnFewClusters,
			Facts:  fmt.Sprintf("the interval rests on how alike the rounds of only %d trials are", len(trials)),
			Advice: fmt.Sprintf("run at least %d trials", enoughClusters)})
	}
	return measured
}

// measuredRounds is the effective number of rounds from the variance between trials,
// between one and the number of rounds; known is false when that variance is zero or
// cannot be computed.
func measuredRounds(trials []Count, rate, level float64) (effective float64, known bool) {
	m := float64(len(trials))
	if m < 2 || rate == 0 || rate == 1 {
		return 0, false
	}
	rounds, squares := 0.0, 0.0
	for _, trial := range trials {
		residual := float64(trial.K) - rate*float64(trial.N)
		squares += residual * residual
		rounds += float64(trial.N)
	}
	variance := m / (m - 1) * squares / (rounds * rounds)
	effective = rounds
	if variance > 0 {
		effective = rate * (1 - rate) / variance
	}
	tail := (1 - level) / 2
	shrink := studentQuantile(tail, rounds-1) / studentQuantile(tail, m-1)
	return min(max(effective*shrink*shrink, 1), rounds), true
}

func studentQuantile(tail, degrees float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: degrees}.Quantile(tail)
}

// DesignEffect is how many times more rounds the measured likeness of rounds inside one
// trial takes for the same precision: the variance between trials over the variance of
// as many independent rounds (Kish 1965), without the correction for few trials and not
// floored at 1. It is NaN when every round failed, none did, or there is one trial.
func DesignEffect(trials []Count) float64 {
	var sum Count
	for _, trial := range trials {
		sum = sum.Add(trial)
	}
	rate, n, m, squares := sum.Rate(), float64(sum.N), float64(len(trials)), 0.0
	for _, trial := range trials {
		residual := float64(trial.K) - rate*float64(trial.N)
		squares += residual * residual
	}
	if m < 2 || rate == 0 || rate == 1 || n == 0 {
		return math.NaN()
	}
	return m / (m - 1) * squares / n / (rate * (1 - rate))
}
