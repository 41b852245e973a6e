package reports

import (
	"fmt"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/stats"
)

// The bounds of the page's list of trials.
const (
	maxListed   = 100_000
	maxExcerpts = 24 << 20 // bytes of excerpts in all; later trials have none
)

// view is what the page's script draws from.
type view struct {
	Level    string        `json:"level"`
	Outcomes []string      `json:"outcomes"`
	Strata   []viewStratum `json:"strata"`
	Curves   []viewCurve   `json:"curves"`
	Cells    []viewTarget  `json:"cells"` // that trials point to
	Trials   []viewTrial   `json:"trials"`
	Omitted  string        `json:"omitted"`
}

type viewStratum struct {
	ID    string     `json:"id"`
	Cells []viewCell `json:"cells"`
}

type viewCell struct {
	Variant   string        `json:"variant"`
	Role      string        `json:"role"`
	K         int64         `json:"k"`
	N         int64         `json:"n"`
	Rate      float64       `json:"rate"`
	Low       float64       `json:"low"`
	High      float64       `json:"high"`
	Label     string        `json:"label"`
	Verdict   string        `json:"verdict"`
	Trials    int           `json:"trials"`
	Outcomes  []viewOutcome `json:"outcomes"`
	Durations []viewBox     `json:"durations"`
	Timeline  []viewBin     `json:"timeline"`
}

type viewOutcome struct {
	Outcome string `json:"outcome"`
	N       int    `json:"n"`
}

type viewBox struct {
	Outcome string  `json:"outcome"`
	N       int     `json:"n"`
	P5      float64 `json:"p5"`
	P25     float64 `json:"p25"`
	Median  float64 `json:"median"`
	P75     float64 `json:"p75"`
	P95     float64 `json:"p95"`
}

type viewBin struct {
	First    int      `json:"first"`
	Last     int      `json:"last"`
	K        int64    `json:"k"`
	N        int64    `json:"n"`
	Excluded int      `json:"excluded"`
	Wall     float64  `json:"wall"`
	Cores    *float64 `json:"cores"`
	RK       int64    `json:"rk"`
	RN       int64    `json:"rn"`
	Low      float64  `json:"low"`
	High     float64  `json:"high"`
}

type viewCurve struct {
	Title   string      `json:"title"`
	Axis    string      `json:"axis"`
	Words   bool        `json:"words"` // the values are words: each has its place in order
	Variant string      `json:"variant"`
	Points  []viewPoint `json:"points"`
}

type viewPoint struct {
	X     float64 `json:"x"`
	Value string  `json:"value"`
	Rate  float64 `json:"rate"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Label string  `json:"label"`
}

type viewTarget struct {
	Variant string `json:"variant"`
	Stratum string `json:"stratum"`
	Repeat  string `json:"repeat"`
}

type viewTrial struct {
	Cell     int    `json:"cell"`
	ID       string `json:"id"`
	Block    int    `json:"block"`
	Attempt  int    `json:"attempt"`
	Outcome  string `json:"outcome"`
	Class    string `json:"class"`
	Reason   string `json:"reason"`
	Evidence string `json:"evidence"`
	Excerpt  string `json:"excerpt"`
	Wall     string `json:"wall"`
	Log      string `json:"log"`
}

func viewOf(t *Table) (view, error) {
	v := view{Level: fmt.Sprintf("%g %%", 100*t.Level), Strata: []viewStratum{}, Curves: []viewCurve{}, Cells: []viewTarget{}, Trials: []viewTrial{}}
	for _, o := range classify.Outcomes() {
		v.Outcomes = append(v.Outcomes, o.String())
	}
	for i := range t.Strata {
		s := viewStratum{ID: name(t.Strata[i].ID), Cells: []viewCell{}}
		for k := range t.Strata[i].Cells {
			s.Cells = append(s.Cells, viewCellOf(&t.Strata[i].Cells[k]))
		}
		v.Strata = append(v.Strata, s)
	}
	for _, c := range t.Curves() {
		v.Curves = append(v.Curves, viewCurveOf(t, c))
	}
	return v, v.list(t)
}

func viewCellOf(c *Cell) viewCell {
	out := viewCell{
		Variant: name(c.Variant), Role: role(*c), K: c.Rate.K, N: c.Rate.N, Rate: c.Rate.Rate(), Low: c.Interval.Low, High: c.Interval.High,
		Label:    fmt.Sprintf("%s: %d of %d, %s (%s)", name(c.Variant), c.Rate.K, c.Rate.N, rateText(*c), intervalText(*c)),
		Outcomes: []viewOutcome{}, Durations: []viewBox{}, Timeline: []viewBin{},
	}
	if c.Comparison != nil {
		out.Verdict = string(c.Comparison.Verdict)
	}
	for _, o := range classify.Outcomes() {
		out.Trials += c.Counts.Of(o)
		out.Outcomes = append(out.Outcomes, viewOutcome{o.String(), c.Counts.Of(o)})
	}
	for _, d := range []struct {
		outcome classify.Outcome
		box     Box
	}{{classify.Pass, c.Wall.Pass}, {classify.Fail, c.Wall.Fail}, {classify.Timeout, c.Wall.Time}} {
		if b := d.box; b.N > 0 {
			out.Durations = append(out.Durations, viewBox{d.outcome.String(), b.N, b.Low, b.Lower, b.Median, b.Upper, b.High})
		}
	}
	for _, b := range c.Timeline {
		out.Timeline = append(out.Timeline, viewBin{
			b.First, b.Last, b.Count.K, b.Count.N, b.Excluded, b.Wall, b.Cores, b.Running.K, b.Running.N, b.Interval.Low, b.Interval.High,
		})
	}
	return out
}

func viewCurveOf(t *Table, c Curve) viewCurve {
	out := viewCurve{
		Title: fmt.Sprintf("%s: failure rate against %s, with %g %% intervals", name(c.Where), name(c.Parameter), 100*t.Level),
		Axis:  axisLabel(c), Words: c.Words, Variant: name(c.Variant),
	}
	for _, p := range c.Points {
		out.Points = append(out.Points, viewPoint{
			X: p.X, Value: name(p.Value), Rate: p.Count.Rate(), Low: p.Interval.Low, High: p.Interval.High,
			Label: fmt.Sprintf("%d of %d (%s)", p.Count.K, p.Count.N, stats.Range(p.Interval)),
		})
	}
	return out
}

// list takes in every trial that did not pass, within the page's bounds.
func (v *view) list(t *Table) error {
	if t.Trials == nil {
		return nil
	}
	at := map[string]int{}
	for s, c := range t.cellsOf() {
		repeat := t.Repeat
		for _, campaign := range t.Campaigns {
			if campaign.ID == s.Campaign {
				repeat = campaign.Repeat
			}
		}
		at[stratumKey(s.Campaign, s.OS, s.Arch, c.ID)] = len(v.Cells)
		v.Cells = append(v.Cells, viewTarget{name(c.Variant), name(s.ID), repeatCell(repeat, s, c)})
	}
	room, listless, bare := maxExcerpts, 0, 0
	err := t.Trials(func(tr *Trial) error {
		if tr.Outcome == classify.Pass {
			return nil
		}
		if len(v.Trials) == maxListed {
			listless++
			return nil
		}
		campaign := ""
		if len(t.Campaigns) > 0 {
			campaign = t.Sources[tr.Source].Campaign
		}
		excerpt := printable(tr.Excerpt[:min(len(tr.Excerpt), classify.MaxExcerpt)])
		if room -= len(excerpt); room < 0 {
			excerpt = ""
			bare++
		}
		one := viewTrial{
			Cell: at[stratumKey(campaign, tr.OS, tr.Arch, tr.Cell.ID())], ID: clean(tr.Attempt), Block: tr.Number, Attempt: tr.Attempts, Outcome: tr.Outcome.String(),
			Class: name(tr.Class), Reason: cleanTo(tr.why(), classify.MaxReason), Excerpt: excerpt, Wall: seconds3(tr.Wall),
		}
		one.Evidence = clean(some(tr.Evidence, ", "))
		if tr.Output > 0 {
			one.Log = clean(logFile(tr.Attempt))
		}
		v.Trials = append(v.Trials, one)
		return nil
	})
	if listless > 0 {
		v.Omitted = fmt.Sprintf("%d more are left out of this list; ", listless)
	}
	if bare > 0 {
		v.Omitted += fmt.Sprintf("%d have no excerpt here", bare)
	}
	return err
}
