package reports

import (
	_ "embed"
	"io"
	"math"

	"github.com/failrate/failrate/harness/journal"
	"github.com/failrate/failrate/harness/plan"
	"github.com/failrate/failrate/stats"
)

// JSONFormat is the version of the JSON form. It goes up when a member changes its meaning or goes.
const JSONFormat = 1

// JSONSchema is the published JSON Schema (draft 2020-12) of the JSON form.
//
//go:embed table.schema.json
var JSONSchema []byte

// JSON writes the table for machines. What a deterministic subject decides is in cells and is the same however the plan
// was split; what a run can only measure (durations, metrics, load, machines) is in circumstances.
// Fractions have 12 significant digits, so that the CPU that computed them does not show.
func JSON(w io.Writer, t *Table) error {
	return writeJSON(w, jsonTable(t), "  ")
}

// document is the JSON form.
type document struct {
	Format        int            `json:"format"`
	Study         string         `json:"study"`
	Title         string         `json:"title"`
	Source        string         `json:"source"`
	Conditions    string         `json:"conditions"`
	Seed          uint64         `json:"seed,string"`
	Iterations    int            `json:"iterations"`
	Design        string         `json:"design"`
	Confidence    float64        `json:"confidence"`
	PlanDigest    string         `json:"plan_digest"`
	Exposure      *float64       `json:"exposure"` // null when the study states none
	Partial       []string       `json:"partial"`
	Cells         []row          `json:"cells"`
	Campaigns     []jsonCampaign `json:"campaigns"` // empty unless the table has several
	Pooled        []jsonPooled   `json:"pooled"`
	Verdicts      []string       `json:"verdicts"`
	Notes         []string       `json:"notes"`
	Circumstances circumstances  `json:"circumstances"`
}

// row is a cell.
type row struct {
	Cell        string            `json:"cell"`
	Campaign    string            `json:"campaign"` // empty unless the table has several
	Variant     string            `json:"variant"`
	Role        string            `json:"role"` // baseline, variant or control
	Platform    string            `json:"platform"`
	OS          string            `json:"os"`
	Arch        string            `json:"arch"`
	Stress      string            `json:"stress"`
	Parameters  map[string]string `json:"parameters"`
	Planned     int               `json:"planned"`
	Pass        int               `json:"pass"`
	Fail        int               `json:"fail"`
	Timeout     int               `json:"timeout"`
	Unexercised int               `json:"unexercised"`
	Broken      int               `json:"broken"`
	Censored    int               `json:"censored"`
	Lost        int               `json:"lost"`
	Classes     map[string]int    `json:"classes"`
	K           int64             `json:"k"`    // failed, of n
	N           int64             `json:"n"`    // trials in the rate; rounds when clustered
	Rate        *float64          `json:"rate"` // null when n is 0
	Low         *float64          `json:"low"`
	High        *float64          `json:"high"`
	Method      string            `json:"method"`
	Clustered   *Clustered        `json:"clustered"`
	Implied     *stats.Interval   `json:"implied"`
	Comparison  *stats.Comparison `json:"comparison"`
	Notes       []int             `json:"notes"`
}

type jsonCampaign struct {
	Campaign   string   `json:"campaign"`
	Seed       uint64   `json:"seed,string"`
	Iterations int      `json:"iterations"`
	Design     string   `json:"design"`
	PlanDigest string   `json:"plan_digest"`
	Repeat     []string `json:"repeat"`
}

type jsonPooled struct {
	Variant    string         `json:"variant"`
	Stratum    string         `json:"stratum"`
	Campaigns  int            `json:"campaigns"`
	Difference float64        `json:"difference"`
	DiffRange  stats.Interval `json:"difference_interval"`
	OddsRatio  *float64       `json:"odds_ratio"` // null when no arm says anything, or it has no bound
	OddsRange  stats.Interval `json:"odds_ratio_interval"`
	P          float64        `json:"p"`
	Homogenous *float64       `json:"homogeneity_p"` // of the differences
	Notes      []int          `json:"notes"`
}

func jsonTable(t *Table) document {
	d := document{
		Format: JSONFormat, Study: t.Study, Title: t.Texts.Title, Source: t.Texts.Source, Conditions: t.Texts.Conditions,
		Seed: t.Plan.Seed, Iterations: t.Plan.Iterations, Design: t.Design, Confidence: t.Level, PlanDigest: t.PlanDigest,
		Partial: list(t.Partial), Cells: []row{}, Campaigns: []jsonCampaign{}, Pooled: []jsonPooled{},
		Verdicts: list(t.Verdicts), Notes: list(t.Footnotes), Circumstances: jsonCircumstances(t),
	}
	if t.Texts.Exposure > 0 {
		d.Exposure = &t.Texts.Exposure
	}
	for s, c := range t.cellsOf() {
		d.Cells = append(d.Cells, jsonRow(s, c))
	}
	for _, c := range t.Campaigns {
		d.Campaigns = append(d.Campaigns, jsonCampaign{
			Campaign: c.ID, Seed: c.Seed, Iterations: c.Iterations, Design: c.Design, PlanDigest: c.PlanDigest, Repeat: list(c.Repeat),
		})
	}
	for _, p := range t.Pooled {
		e := p.Effect
		d.Pooled = append(d.Pooled, jsonPooled{
			Variant: p.Variant, Stratum: p.Stratum, Campaigns: p.Campaigns, Difference: e.Difference, DiffRange: e.DiffRange,
			OddsRatio: number(e.OddsRatio), OddsRange: e.OddsRange, P: e.P, Homogenous: number(e.DiffHomogeneityP), Notes: list(p.Notes),
		})
	}
	return d
}

func jsonRow(s *Stratum, c *Cell) row {
	r := row{
		Cell: c.ID, Campaign: s.Campaign, Variant: c.Variant, Role: role(*c), Platform: s.Platform, OS: s.OS, Arch: s.Arch, Stress: s.Stress,
		Parameters: settings(s.Parameters), Planned: c.Planned,
		Pass: c.Counts.Pass, Fail: c.Counts.Fail, Timeout: c.Counts.Timeout, Unexercised: c.Counts.Unexercised,
		Broken: c.Counts.Broken, Censored: c.Counts.Censored, Lost: c.Counts.Lost,
		Classes: c.Classes, K: c.Rate.K, N: c.Rate.N, Method: string(c.Interval.Method), Clustered: c.Clustered,
		Comparison: c.Comparison, Notes: list(c.Notes),
	}
	if r.Classes == nil {
		r.Classes = map[string]int{}
	}
	if c.Rate.N > 0 {
		rate := c.Rate.Rate()
		r.Rate, r.Low, r.High = &rate, &c.Interval.Low, &c.Interval.High
	}
	if c.Implied.Level > 0 {
		r.Implied = &c.Implied
	}
	return r
}

func role(c Cell) string {
	switch {
	case c.Baseline:
		return "baseline"
	case c.Control:
		return "control"
	}
	return "variant"
}

func settings(in []plan.Setting) map[string]string {
	out := map[string]string{}
	for _, s := range in {
		out[s.Name] = s.Value
	}
	return out
}

// list makes an empty list of nil: JSON readers expect [] and not null.
func list[T any](in []T) []T {
	if in == nil {
		return []T{}
	}
	return in
}

// number is a number that JSON can hold; nil for NaN and infinity.
func number(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// circumstances are what a run measures and cannot repeat.
type circumstances struct {
	Machines []machine `json:"machines"`
	Cells    []measure `json:"cells"`
	Repeat   []string  `json:"repeat"`
}

type machine struct {
	Campaign string       `json:"campaign"`
	Shard    string       `json:"shard"`
	Attempt  int          `json:"attempt"`
	Host     journal.Host `json:"host"`
	Tool     string       `json:"tool"`
	Jobs     int          `json:"jobs"`
	Created  string       `json:"created"`
}
