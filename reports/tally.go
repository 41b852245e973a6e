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
	wall    []float32     // of the trials in the rate, seconds
	rounds  []stats.Count // of the trials in the rate, when any reports rounds: one a trial
	several bool          // some trial has more than one round

	roundClasses map[string]int
	facts        map[string]map[string]stats.Count // trials in the rate, by fact and value
	metrics      map[string][]float64
	load         loadTally
	series       []point
}

// point is one trial in the order of its number: what doubt and the pictures look at.
type point struct {
	at      int64 // when it started, nanoseconds since 1970; 0 when not noted
	number  int32
	source  int32
	outcome classify.Outcome
	wall    float32
	cores   float32 // stress achieved; negative when not measured
	k, n    int32   // rounds; 0 and 1, or 1 and 1, when it reports none; n is 0 when not in the rate
}

type loadTally struct {
	asked                 string
	cores, busy, pressure []float32
	throttled             int
}

// add takes the record that decides a trial. Nothing of the record is kept.
func (t *tally) add(source int, s *journal.Record) {
	t.counts.Add(s.Outcome)
	p := point{number: int32(s.Number), source: int32(source), outcome: s.Outcome, wall: float32(s.Wall.Seconds()), cores: -1}
	if !s.At.IsZero() {
		p.at = s.At.UnixNano()
	}
	if s.Load != nil {
		t.load.add(s.Load.Asked, s.Load.Cores, s.Load.Busy, s.Load.Pressure, s.Load.Throttled)
		if s.Load.Cores != nil {
			p.cores = float32(*s.Load.Cores)
		}
	}
	if s.Outcome.InRate() {
		t.judged(s, &p)
	}
	t.series = append(t.series, p)
}

// judged takes a record that counts for the rate.
func (t *tally) judged(s *journal.Record, p *point) {
	p.n = 1
	if s.Outcome.Failed() {
		p.k = 1
	}
	if s.Outcome == classify.Fail {
		t.classes = count(t.classes, s.Class, 1)
	}
	if r := s.Rounds; r != nil && r.N > 0 {
		p.k, p.n = int32(r.Failed), int32(r.N)
		t.several = t.several || r.N > 1
		for name, n := range r.Classes {
			t.roundClasses = count(t.roundClasses, name, n)
		}
	} else if s.Outcome == classify.Fail {
		t.roundClasses = count(t.roundClasses, s.Class, 1)
	}
	t.wall = append(t.wall, p.wall)
	t.rounds = append(t.rounds, stats.Count{K: int64(p.k), N: int64(p.n)})
	for _, f := range s.Facts {
		t.fact(f, s.Outcome)
	}
	for _, m := range s.Metrics {
		if t.metrics == nil {
			t.metrics = map[string][]float64{}
		}
		t.metrics[m.Name] = append(t.metrics[m.Name], m.Value)
	}
}

// fact counts a trial under a fact's value. Values beyond what doubt tells apart are not kept.
func (t *tally) fact(f journal.Fact, o classify.Outcome) {
	if t.facts == nil {
		t.facts = map[string]map[string]stats.Count{}
	}
	values := t.facts[f.Name]
	if values == nil {
		values = map[string]stats.Count{}
		t.facts[f.Name] = values
	}
	one := stats.Count{N: 1}
	if o.Failed() {
		one.K = 1
	}
	if c, known := values[f.Value]; known || len(values) <= maxValues {
		values[f.Value] = c.Add(one)
	}
}

func count(m map[string]int, name string, n int) map[string]int {
	if m == nil {
		m = map[string]int{}
	}
	m[name] += n
	return m
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
	return sorted(v, q)
}

// sorted is quantile of values that are in order.
func sorted(v []float32, q float64) float64 {
	if len(v) == 0 {
		return 0
	}
	at := q * float64(len(v)-1)
	i := int(at)
	if i+1 >= len(v) {
		return float64(v[len(v)-1])
	}
	return float64(v[i]) + (at-float64(i))*float64(v[i+1]-v[i])
}

func (t *tally) quantiles() Quantiles {
	by := map[classify.Outcome][]float32{}
	for _, p := range t.series {
		if p.outcome.InRate() {
			by[p.outcome] = append(by[p.outcome], p.wall)
		}
	}
	all := box(t.wall)
	return Quantiles{
		N: all.N, Low: all.Low, Median: all.Median, High: all.High,
		Pass: box(by[classify.Pass]), Fail: box(by[classify.Fail]), Time: box(by[classify.Timeout]),
	}
}

func box(values []float32) Box {
	v := slices.Clone(values)
	slices.Sort(v)
	return Box{
		N: len(v), Low: sorted(v, 0.05), Lower: sorted(v, 0.25), Median: sorted(v, 0.5), Upper: sorted(v, 0.75), High: sorted(v, 0.95),
	}
}
