package reports

// measure is what was measured of a cell beside its outcomes.
type measure struct {
	Cell      string       `json:"cell"`
	Campaign  string       `json:"campaign"`
	OS        string       `json:"os"`
	Arch      string       `json:"arch"`
	Median    float64      `json:"median_s"`
	Low       float64      `json:"p5_s"`
	High      float64      `json:"p95_s"`
	Pass      float64      `json:"pass_median_s"`
	Fail      float64      `json:"fail_median_s"`
	Asked     string       `json:"stress_asked"`
	Cores     *float64     `json:"stress_cores"`
	Busy      *float64     `json:"machine_busy"`
	Pressure  *float64     `json:"cpu_pressure"`
	Throttled int          `json:"throttled_trials"`
	Metrics   []jsonMetric `json:"metrics"`
}

type jsonMetric struct {
	Name   string     `json:"name"`
	N      int        `json:"n"`
	Median float64    `json:"median"`
	Low    *float64   `json:"low"` // null with too few trials
	High   *float64   `json:"high"`
	Shift  *jsonShift `json:"shift"` // against the baseline
}

type jsonShift struct {
	Estimate float64  `json:"estimate"`
	Low      *float64 `json:"low"` // null with too few trials
	High     *float64 `json:"high"`
	P        float64  `json:"p"`
}

func jsonCircumstances(t *Table) circumstances {
	out := circumstances{Machines: []machine{}, Cells: []measure{}, Repeat: list(t.Repeat)}
	for _, s := range t.Sources {
		out.Machines = append(out.Machines, machine{
			Campaign: s.Campaign, Shard: s.Shard, Attempt: s.Attempt, Host: s.Host, Tool: s.Tool, Jobs: s.Jobs,
			Created: s.Created.UTC().Format("2006-01-02T15:04:05Z"),
		})
	}
	for s, c := range t.cellsOf() {
		m := measure{
			Cell: c.ID, Campaign: s.Campaign, OS: s.OS, Arch: s.Arch, Median: c.Wall.Median, Low: c.Wall.Low, High: c.Wall.High,
			Pass: c.Wall.Pass.Median, Fail: c.Wall.Fail.Median,
			Asked: c.Load.Asked, Cores: c.Load.Cores, Busy: c.Load.Busy, Pressure: c.Load.Pressure, Throttled: c.Load.ThrottledTrials,
			Metrics: []jsonMetric{},
		}
		for _, x := range c.Metrics {
			j := jsonMetric{Name: x.Name, N: x.N, Median: x.Median, Low: number(x.Low), High: number(x.High)}
			if x.Shift != nil {
				j.Shift = &jsonShift{x.Shift.Estimate, number(x.Shift.Low), number(x.Shift.High), x.Shift.P}
			}
			m.Metrics = append(m.Metrics, j)
		}
		out.Cells = append(out.Cells, m)
	}
	return out
}
