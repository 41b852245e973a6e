package reports

import (
	"slices"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/harness/journal"
	"github.com/failrate/failrate/stats"
)

// tally gathers the samples of one cell in one stratum. It keeps a few bytes a trial, so that millions fit.
type tally struct {
	counts  Counts
	classes map[string]int
	wall    []float32 // of the trials in the rate, seconds
	passed  []float32
	failed  []float32
	rounds  []stats.Count // of the trials in the rate that report rounds
	metrics map[string][]float64
	load    loadTally
	series  []point
}

// point is one trial in the order of its number: what doubt and the pictures look at.
type point struct {
	number  int32
	source  int32
	outcome classify.Outcome
	wall    float32
}

type loadTally struct {
	asked                 string
	cores, busy, pressure []float32
	throttled             int
}

// add takes the record that decides a trial. Nothing of the record is kept.
func (t *tally) add(source int, s *journal.Record) {
	t.counts.Add(s.Outcome)
	t.series = append(t.series, point{int32(s.Number), int32(source), s.Outcome, float32(s.Wall.Seconds())})
	if s.Load != nil {
		t.load.add(s.Load.Asked, s.Load.Cores, s.Load.Busy, s.Load.Pressure, s.Load.Throttled)
	}
	if !s.Outcome.InRate() {
		return
	}
	if s.Outcome == classify.Fail {
		if t.classes == nil {
			t.classes = map[string]int{}
		}
		t.classes[s.Class]++
	}
	t.wall = append(t.wall, float32(s.Wall.Seconds()))
	if s.Outcome.Failed() {
		t.failed = append(t.failed, float32(s.Wall.Seconds()))
	} else {
		t.passed = append(t.passed, float32(s.Wall.Seconds()))
	}
	if s.Rounds != nil && s.Rounds.N > 0 {
		t.rounds = append(t.rounds, stats.Count{K: int64(s.Rounds.Failed), N: int64(s.Rounds.N)})
	}
	for _, m := range s.Metrics {
		if t.metrics == nil {
			t.metrics = map[string][]float64{}
		}
		t.metrics[m.Name] = append(t.metrics[m.Name], m.Value)
	}
}

func (l *loadTally) add(asked string, cores, busy, pressure *float64, throttled *int64) {
	if asked != "" {
		l.asked = asked
	}
	l.cores, l.busy, l.pressure = collect(l.cores, cores), collect(l.busy, busy), collect(l.pressure, pressure)
	if throttled != nil && *throttled > 0 {
		l.throttled++
	}
}

func (l *loadTally) load() Load {
	return Load{
		Asked: l.asked, Cores: middle(l.cores), Busy: middle(l.busy), Pressure: middle(l.pressure),
		ThrottledTrials: l.throttled,
	}
}

// middle is the median, nil when there is no value.
func middle(values []float32) *float64 {
	if len(values) == 0 {
		return nil
	}
	m := quantile(values, 0.5)
	return &m
}

// quantile is the q-th quantile by linear interpolation (type 7 of Hyndman and Fan 1996); 0 when there is no value.
func quantile(values []float32, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	v := slices.Clone(values)
	slices.Sort(v)
	at := q * float64(len(v)-1)
	i := int(at)
	if i+1 >= len(v) {
		return float64(v[len(v)-1])
	}
	return float64(v[i]) + (at-float64(i))*float64(v[i+1]-v[i])
}

func (t *tally) quantiles() Quantiles {
	return Quantiles{
		N: len(t.wall), Low: quantile(t.wall, 0.05), Median: quantile(t.wall, 0.5), High: quantile(t.wall, 0.95),
		PassMedian: quantile(t.passed, 0.5), FailMed: quantile(t.failed, 0.5),
	}
}
