package journal

import (
	"errors"
	"fmt"
	"time"

	"github.com/valyala/fastjson"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/harness/plan"
	"github.com/failrate/failrate/harness/trial"
)

// parser turns lines into Records without allocating for each. It is for one goroutine.
//
// fastjson reads a line in about a seventh of the time of encoding/json, which Record.Finished uses where every member
// is wanted (see BenchmarkDecode).
type parser struct {
	json  fastjson.Parser
	index *plan.Index
	names names
	full  bool // records have their Detail
}

// load is where a Record's Load keeps its numbers.
type load struct {
	trial.Load
	cores, busy, pressure float64
	periods, throttled    int64
}

// record reads a line without its newline. Line and Offset are the caller's to set.
func (p *parser) record(line []byte, r *Record) error {
	v, err := p.json.ParseBytes(line)
	if err != nil {
		return fmt.Errorf("it is not JSON: %w", err)
	}
	*r = Record{Line: r.Line, Offset: r.Offset, Metrics: r.Metrics[:0], Facts: r.Facts[:0], Reported: r.Reported[:0], rounds: r.rounds, detail: r.detail, raw: line}
	switch word := v.GetStringBytes("type"); string(word) {
	case typeHeader:
		r.Kind = KindHeader
		return nil
	case typeNote:
		r.Kind = KindNote
		return nil
	case typeStarted:
		r.Kind = KindStarted
		r.At = when(v.GetStringBytes("at"))
	case typeFinished:
		r.Kind = KindFinished
		if err := p.finished(v, r); err != nil {
			return err
		}
	default:
		return fmt.Errorf("there is no record of type %.40q", word)
	}
	r.Cell, r.Number, r.Attempt, err = p.index.Locate(v.GetStringBytes("id"))
	return err
}

func (p *parser) finished(v *fastjson.Value, r *Record) error {
	o, j := v.Get("observation"), v.Get("judgement")
	if o == nil || j == nil {
		return errors.New("a finished record lacks its observation or its judgement")
	}
	var err error
	if r.Outcome, err = p.outcome(j.GetStringBytes("outcome")); err != nil {
		return err
	}
	r.Class = p.names.keep(j.GetStringBytes("class"))
	r.At = when(o.GetStringBytes("started"))
	r.Wall = time.Duration(o.GetInt64("wall_ns"))
	r.Facts = p.facts(r.Facts, o.Get("facts"))
	r.Reported = p.facts(r.Reported, j.Get("facts"))
	p.rounds(r, j.Get("rounds"))
	p.load(r, o.Get("load"))
	if p.full {
		p.detail(r, o, j)
	}
	visit(j.Get("metrics"), func(name []byte, v *fastjson.Value) {
		r.Metrics = append(r.Metrics, Metric{Name: p.names.keep(name), Value: number(v)})
	})
	return nil
}

func (p *parser) outcome(word []byte) (classify.Outcome, error) {
	return classify.ParseOutcome(p.names.keep(word[:min(len(word), 40)])) // the error quotes it
}

func (p *parser) rounds(r *Record, v *fastjson.Value) {
	if v == nil {
		return
	}
	classes := r.rounds.Classes
	clear(classes)
	r.rounds = classify.Rounds{N: v.GetInt("n"), Failed: v.GetInt("failed"), Broken: v.GetInt("broken"),
		Unexercised: v.GetInt("unexercised"), Classes: classes}
	visit(v.Get("classes"), func(name []byte, v *fastjson.Value) {
		if r.rounds.Classes == nil {
			r.rounds.Classes = map[string]int{}
		}
		r.rounds.Classes[p.names.keep(name)] = v.GetInt()
	})
	r.Rounds = &r.rounds
}

func (p *parser) load(r *Record, v *fastjson.Value) {
	if v == nil {
		return
	}
	l := &r.load
	l.Load = trial.Load{Asked: p.names.keep(v.GetStringBytes("asked"))}
	if f := v.Get("cores"); f != nil {
		l.cores, l.Cores = f.GetFloat64(), &l.cores
	}
	if f := v.Get("busy"); f != nil {
		l.busy, l.Busy = f.GetFloat64(), &l.busy
	}
	if f := v.Get("pressure"); f != nil {
		l.pressure, l.Pressure = f.GetFloat64(), &l.pressure
	}
	if f := v.Get("periods"); f != nil {
		l.periods, l.Periods = f.GetInt64(), &l.periods
	}
	if f := v.Get("throttled"); f != nil {
		l.throttled, l.Throttled = f.GetInt64(), &l.throttled
	}
	r.Load = &l.Load
}

func (p *parser) facts(out []Fact, v *fastjson.Value) []Fact {
	visit(v, func(name []byte, v *fastjson.Value) {
		out = append(out, Fact{Name: p.names.keep(name), Value: p.names.keep(v.GetStringBytes())})
	})
	return out
}

// visit calls f for the members of an object, in the order of the line, which the writer sorted. Anything else has none.
func visit(v *fastjson.Value, f func(name []byte, v *fastjson.Value)) {
	if v == nil {
		return
	}
	if o, err := v.Object(); err == nil {
		o.Visit(f)
	}
}

// when reads a time; the zero time when it is none.
func when(text []byte) time.Time {
	t, err := time.Parse(time.RFC3339Nano, string(text))
	if err != nil {
		return time.Time{}
	}
	return t
}

// names keeps one string for each of the words that come again and again, such as classes and digests.
type names map[string]string

// The bounds of names: words beyond them are new strings each time, so that hostile input cannot fill the memory.
const (
	maxNames = 4096
	maxName  = 200
)

func (n *names) keep(word []byte) string {
	if len(word) == 0 {
		return ""
	}
	if kept, ok := (*n)[string(word)]; ok {
		return kept
	}
	kept := string(word)
	if len(*n) < maxNames && len(word) <= maxName {
		if *n == nil {
			*n = names{}
		}
		(*n)[kept] = kept
	}
	return kept
}
