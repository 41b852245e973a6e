package stats

// Warning is a doubt about a number. It rides on the value that it doubts and is shown as
// a footnote; nothing in this package prints.
type Warning struct {
	Code   WarningCode `json:"code"`   // stable, for machines
	Facts  string      `json:"facts"`  // what was seen, where, with its numbers
	Advice string      `json:"advice"` // what it may mean and what to do; the same for every warning of one kind where it can be
	P      float64     `json:"p"`      // p-value of the check; 0 when it is not a test
}

// Sentence is the whole warning on one line; empty for one that did not fire.
func (w Warning) Sentence() string {
	if w.Facts == "" {
		return ""
	}
	return w.Facts + ": " + w.Advice
}

// WarningCode names the kind of a doubt.
type WarningCode string

// The kinds of doubt.
const (
	WarnFewClusters      WarningCode = "few-clusters"
	WarnClustersUnknown  WarningCode = "clustering-not-measurable"
	WarnHeterogeneous    WarningCode = "effect-differs-between-strata"
	WarnSparseStrata     WarningCode = "strata-too-sparse"
	WarnRuns             WarningCode = "outcomes-run-together"
	WarnTrend            WarningCode = "rate-drifts"
	WarnLag              WarningCode = "outcome-depends-on-previous"
	WarnShards           WarningCode = "shards-differ"
	WarnUnequalExclusion WarningCode = "exclusions-differ"
	WarnDuration         WarningCode = "failure-linked-to-duration"
	WarnFactVaries       WarningCode = "fact-varies"
)
