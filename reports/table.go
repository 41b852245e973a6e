// Package reports turns the record of a campaign into what people attach to an argument.
//
// It is the last step of the pipeline study → plan → trial → classify → journal → report. It takes journals and gives
// one Table; every renderer (text, Markdown, Jira, HTML, JSON, CSV, JUnit, pictures) is a pure function of that Table.
// It measures nothing, judges nothing and prints nothing by itself.
package reports

import (
	"time"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/harness/journal"
	"github.com/failrate/failrate/harness/plan"
	"github.com/failrate/failrate/stats"
)

// Table is a campaign's result: the one model that every renderer shows.
type Table struct {
	Study      string
	Texts      journal.Texts
	Plan       plan.Plan
	PlanDigest string
	Design     string  // the stopping design, such as fixed
	Level      float64 // confidence of every interval, 0..1
	Strata     []Stratum
	Verdicts   []string // one sentence a variant and stratum, the most useful first
	Footnotes  []string // warnings; a cell's Notes point here, from 1
	Partial    []string // what is missing of the plan, one line each; empty when nothing is
	Complete   bool     // every planned trial has a result, or a design needed no more
	Sources    []Source // the journals behind the table
	Repeat     []string // the command line that repeats the campaign
	Campaigns  []Campaign
	Pooled     []Pooled // over campaigns, when that was asked for
	Trials     Trials   // the trials behind the table; nil when there is no record at hand
}

// Campaign is one of the campaigns of a table that shows several side by side; a table of one lists none.
type Campaign struct {
	ID         string
	Seed       uint64
	PlanDigest string
	Iterations int
	Design     string
	Repeat     []string
}

// Pooled is a variant's effect over the campaigns of a table, each compared within itself.
type Pooled struct {
	Variant   string
	Stratum   string // without the campaign
	Campaigns int
	Effect    stats.Pooled
	Notes     []int
}

// Source is one journal behind a table.
type Source struct {
	Campaign  string
	Shard     string
	Attempt   int
	Host      journal.Host
	Tool      string
	Jobs      int
	Created   time.Time
	Platforms []string // that this source ran; empty means all of the plan's
}

// Stratum holds the rows that may be compared with each other.
type Stratum struct {
	ID         string // such as native/none (linux/amd64), with the campaign when the table has several
	Campaign   string // empty unless the table has several
	Platform   string
	OS, Arch   string
	Stress     string
	Parameters []plan.Setting
	Cells      []Cell
}

// Cell is a row: one variant in one stratum.
type Cell struct {
	ID       string // such as leaders-only/container/cpu-2x
	Variant  string
	Baseline bool
	Control  bool
	Planned  int // trials of the plan in this stratum's cell
	Counts   Counts
	Classes  map[string]int // failures by class, of rounds when Clustered; a timeout is in none
	Rate     stats.Count    // failed of those in the rate; rounds when Clustered
	Interval stats.Interval // of the rate; Level 0 when no trial counts
	// Clustered is set when the trials report rounds: Rate then counts rounds, and the interval allows for their likeness.
	Clustered *Clustered
	// Comparison is with the baseline; nil for the baseline, for controls and when either has no count.
	Comparison *stats.Comparison
	BaseRate   float64 // the baseline's rate, when there is a Comparison
	// Implied is the rate in real life when only a share of real runs meets the condition that the variants force;
	// Level 0 when the study states no exposure.
	Implied  stats.Interval
	Timeline []Bin     // the cell's trials in the order of their blocks, at most maxBins
	Wall     Quantiles // of the trials in the rate, seconds
	Load     Load
	Metrics  []Metric // sorted by name
	Notes    []int    // footnotes of this row, from 1
}

// Counts counts trials by outcome. It is a closed set, as the outcomes are.
type Counts struct {
	Pass, Fail, Timeout, Unexercised, Broken, Censored, Lost int
}

// Add counts an outcome.
func (c *Counts) Add(o classify.Outcome) {
	switch o {
	case classify.Pass:
		c.Pass++
	case classify.Fail:
		c.Fail++
	case classify.Timeout:
		c.Timeout++
	case classify.Unexercised:
		c.Unexercised++
	case classify.Broken:
		c.Broken++
	case classify.Censored:
		c.Censored++
	case classify.Lost:
		c.Lost++
	}
}

// Of gives the count of an outcome.
func (c Counts) Of(o classify.Outcome) int {
	switch o {
	case classify.Pass:
		return c.Pass
	case classify.Fail:
		return c.Fail
	case classify.Timeout:
		return c.Timeout
	case classify.Unexercised:
		return c.Unexercised
	case classify.Broken:
		return c.Broken
	case classify.Censored:
		return c.Censored
	case classify.Lost:
		return c.Lost
	}
	return 0
}

// Excluded is the number of trials that are not in the rate.
func (c Counts) Excluded() int { return c.Unexercised + c.Broken + c.Censored + c.Lost }

// Rate gives the failed trials of those in the rate.
func (c Counts) Rate() stats.Count {
	return stats.Count{K: int64(c.Fail + c.Timeout), N: int64(c.Pass + c.Fail + c.Timeout)}
}

// Clustered says how the rounds of a cell's trials hang together.
type Clustered struct {
	Trials       int     `json:"trials"`        // clusters
	DesignEffect float64 `json:"design_effect"` // 1 means that rounds of one trial are no more alike than others
	EffectiveN   float64 `json:"effective_n"`   // independent rounds that would say as much
}

// Quantiles describe durations, in seconds. All zero when there is none.
type Quantiles struct {
	N                 int
	Low, Median, High float64 // 5 %, 50 %, 95 %
	Pass, Fail, Time  Box     // by outcome
}

// Box describes the durations of one outcome, in seconds: 5 %, 25 %, 50 %, 75 % and 95 %. All zero when there is none.
type Box struct {
	N                               int
	Low, Lower, Median, Upper, High float64
}

// Bin is a run of neighbouring blocks of one cell.
type Bin struct {
	First, Last int         // block numbers
	Count       stats.Count // failed of those in the rate; rounds when the cell is Clustered
	Excluded    int
	Wall        float64        // median, seconds; 0 when no trial is in the rate
	Cores       *float64       // mean of the stress achieved; nil when not measured
	Running     stats.Count    // all up to the last block of the bin
	Interval    stats.Interval // of Running, by itself and not for all bins at once; Level 0 when nothing counts yet
}

// Load is the stress of a cell: asked for and achieved, as medians over its trials. A nil pointer means not measured.
type Load struct {
	Asked           string
	Cores, Busy     *float64
	Pressure        *float64
	ThrottledTrials int // trials that were throttled at all
}

// Metric is a number that the subject reports for each trial.
type Metric struct {
	Name   string
	N      int
	Median float64
	// Low and High bound the median; both NaN with too few trials.
	Low, High float64
	Shift     *Shift // against the baseline's
}

// Shift is how far a metric lies from the baseline's (Hodges–Lehmann). Low and High are NaN with too few trials.
type Shift struct {
	Estimate, Low, High, P float64
}
