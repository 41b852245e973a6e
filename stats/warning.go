package stats

// Warning is a doubt about a number. It rides on the value that it doubts and is shown as
// a footnote; nothing in this package prints.
type Warning struct {
	Code     WarningCode `json:"code"`     // stable, for machines
	Sentence string      `json:"sentence"` // what is wrong and what to do about it
	P        float64     `json:"p"`        // p-value of the check; 0 when it is not a test
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
