package reports

import (
	"encoding/json"
	"io"

	"github.com/failrate/failrate/harness/journal"
	"github.com/failrate/failrate/harness/plan"
	"github.com/failrate/failrate/stats"
)

// JSONFormat is the version of the JSON form. It goes up when a member changes its meaning or goes.
const JSONFormat = 1

// JSON writes the table for machines. What a deterministic subject decides is in cells and is the same however the plan
// was split; what a run can only measure (durations, load, machines) is in circumstances.
func JSON(w io.Writer, t *Table) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(true)
	return e.Encode(jsonTable(t))
}

// document is the JSON form.
type document struct {
	Format        int           `json:"format"`
	Study         string        `json:"study"`
	Title         string        `json:"title"`
	Source        string        `json:"source"`
	Conditions    string        `json:"conditions"`
	Seed          uint64        `json:"seed,string"`
	Iterations    int           `json:"iterations"`
	Design        string        `json:"design"`
	Confidence    float64       `json:"confidence"`
	PlanDigest    string        `json:"plan_digest"`
	Partial       []string      `json:"partial"`
	Cells         []row         `json:"cells"`
	Verdicts      []string      `json:"verdicts"`
	Notes         []string      `json:"notes"`
	Circumstances circumstances `json:"circumstances"`
}

// row is a cell.
type row struct {
	Cell        string            `json:"cell"`
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
	K           int64             `json:"k"` // failed, of n
	N           int64             `json:"n"`
	Rate        *float64          `json:"rate"` // null when n is 0
	Low         *float64          `json:"low"`
	High        *float64          `json:"high"`
	Method      string            `json:"method"`
	Clustered   *Clustered        `json:"clustered,omitempty"`
	Comparison  *stats.Comparison `json:"comparison"`
	Notes       []int             `json:"notes"`
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

type measure struct {
	Cell     string   `json:"cell"`
	OS       string   `json:"os"`
	Arch     string   `json:"arch"`
	Median   float64  `json:"median_s"`
	Low      float64  `json:"p5_s"`
	High     float64  `json:"p95_s"`
	Asked    string   `json:"stress_asked"`
	Cores    *float64 `json:"stress_cores"`
	Busy     *float64 `json:"machine_busy"`
	Pressure *float64 `json:"cpu_pressure"`
}

func jsonTable(t *Table) document {
	d := document{
		Format: JSONFormat, Study: t.Study, Title: t.Texts.Title, Source: t.Texts.Source, Conditions: t.Texts.Conditions,
		Seed: t.Plan.Seed, Iterations: t.Plan.Iterations, Design: t.Design, Confidence: t.Level, PlanDigest: t.PlanDigest,
		Partial: list(t.Partial), Cells: []row{}, Verdicts: list(t.Verdicts), Notes: list(t.Footnotes),
		Circumstances: circumstances{Machines: []machine{}, Cells: []measure{}, Repeat: list(t.Repeat)},
	}
	for _, s := range t.Sources {
		d.Circumstances.Machines = append(d.Circumstances.Machines, machine{
			Campaign: s.Campaign, Shard: s.Shard, Attempt: s.Attempt, Host: s.Host, Tool: s.Tool, Jobs: s.Jobs,
			Created: s.Created.UTC().Format("2006-01-02T15:04:05Z"),
		})
	}
	for _, s := range t.Strata {
		for _, c := range s.Cells {
			d.Cells = append(d.Cells, jsonRow(s, c))
			d.Circumstances.Cells = append(d.Circumstances.Cells, measure{
				Cell: c.ID, OS: s.OS, Arch: s.Arch, Median: c.Wall.Median, Low: c.Wall.Low, High: c.Wall.High,
				Asked: c.Load.Asked, Cores: c.Load.Cores, Busy: c.Load.Busy, Pressure: c.Load.Pressure,
			})
		}
	}
	return d
}

func jsonRow(s Stratum, c Cell) row {
	r := row{
		Cell: c.ID, Variant: c.Variant, Role: role(c), Platform: s.Platform, OS: s.OS, Arch: s.Arch, Stress: s.Stress,
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
