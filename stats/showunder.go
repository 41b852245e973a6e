package stats

import "fmt"

// ShowUnderRequest asks how many trials show that a rate is at or under a bound.
type ShowUnderRequest struct {
	Bound      float64 // the rate to be shown not exceeded
	Rate       float64 // assumed true rate, below Bound; 0 means it never fails
	Power      float64 // 0 means 0.8
	Confidence float64 // of the two-sided interval; 0 means 0.95
	Method     Method  // empty means Wilson
}

// ShowUnderRow is one way to show it: with at most so many failures.
type ShowUnderRow struct {
	Failures int64   `json:"failures"` // most failures that still show it
	Trials   int64   `json:"trials"`   // fewest trials in which they do
	Power    float64 `json:"power"`    // chance of no more failures at the assumed rate
}

// ShowUnderPlan answers a ShowUnderRequest; the last row of Table is the answer.
type ShowUnderPlan struct {
	ShowUnderRow
	Table []ShowUnderRow `json:"table"`
}

// showUnderMaxFailures bounds the search: more allowed failures mean that the assumed
// rate is too close to the bound for any campaign.
const showUnderMaxFailures = 20_000

// PlanShowUnder is the smallest number of trials for which the upper end of the rate's
// interval is at or under the bound with the asked power. For each number of failures
// that might be allowed the fewest trials are found by halving, and the first number
// whose binomial probability is enough wins.
func PlanShowUnder(r ShowUnderRequest) (ShowUnderPlan, error) {
	claims, err := Claims{Confidence: r.Confidence, Power: r.Power, Tolerate: r.Bound, Interval: r.Method}.withDefaults()
	if err != nil {
		return ShowUnderPlan{}, err
	}
	if err := checkOpen("bound to show", r.Bound); err != nil {
		return ShowUnderPlan{}, err
	}
	if !(r.Rate >= 0 && r.Rate < r.Bound) {
		return ShowUnderPlan{}, fmt.Errorf("assumed rate %v: need 0 or more and less than the bound %v", r.Rate, r.Bound)
	}
	var plan ShowUnderPlan
	for failures := int64(0); failures <= showUnderMaxFailures; failures++ {
		trials, err := fewestTrials(failures, r.Bound, claims)
		if err != nil {
			return ShowUnderPlan{}, err
		}
		plan.ShowUnderRow = ShowUnderRow{
			Failures: failures, Trials: trials,
			Power: binomialAtMost(failures, trials, r.Rate),
		}
		plan.Table = append(plan.Table, plan.ShowUnderRow)
		if plan.Power >= claims.Power {
			return plan, nil
		}
	}
	return ShowUnderPlan{}, fmt.Errorf("showing a rate of %v under %v takes more than %d trials; choose a bound further away",
		r.Rate, r.Bound, plan.Trials)
}

// fewestTrials is the smallest n for which the interval of that many failures in n ends
// at or under the bound.
func fewestTrials(failures int64, bound float64, claims Claims) (int64, error) {
	low, high := failures, max(1, 2*failures)
	for {
		iv, err := RateInterval(claims.Interval, Count{K: failures, N: high}, claims.Confidence)
		if err != nil {
			return 0, err
		}
		if iv.High <= bound {
			break
		}
		low, high = high, 2*high
	}
	for high-low > 1 {
		mid := low + (high-low)/2
		iv, err := RateInterval(claims.Interval, Count{K: failures, N: mid}, claims.Confidence)
		if err != nil {
			return 0, err
		}
		if iv.High <= bound {
			high = mid
		} else {
			low = mid
		}
	}
	return high, nil
}

// binomialAtMost is the probability of k or fewer failures in n trials.
func binomialAtMost(k, n int64, rate float64) float64 {
	switch {
	case k < 0:
		return 0
	case k >= n:
		return 1
	}
	return betaLower(float64(n-k), float64(k+1), 1-rate, rate)
}
