package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/failrate/failrate/harness/plan"
	"github.com/failrate/failrate/stats"
)

// Curve is a variant's failure rate against a swept parameter, all else being equal: the delay curve.
type Curve struct {
	Parameter string
	Unit      string // s when the values are durations; empty otherwise
	Words     bool   // the values are neither numbers nor durations: X is their place in order
	Where     string // the rest of the stratum
	Variant   string
	Baseline  bool
	Control   bool
	Points    []CurvePoint // by X
}

// CurvePoint is one cell of a curve.
type CurvePoint struct {
	X        float64 // the parameter: a number, seconds of a duration, or the place in the study's order
	Value    string  // as the study writes it
	Count    stats.Count
	Interval stats.Interval
}

// Curves gives a curve for every parameter that takes at least two values with all else equal, in the table's order.
func (t *Table) Curves() []Curve {
	var out []Curve
	for _, parameter := range t.swept() {
		scale := newScale(t, parameter)
		at := map[[2]string]int{}
		for s, c := range t.cellsOf() {
			value, rest := split(s.Parameters, parameter)
			if c.Interval.Level == 0 {
				continue
			}
			where := s.Platform + "/" + s.Stress + rest + " (" + s.OS + "/" + s.Arch + ")"
			if s.Campaign != "" {
				where += ", campaign " + s.Campaign
			}
			key := [2]string{where, c.Variant}
			i, known := at[key]
			if !known {
				i = len(out)
				at[key] = i
				out = append(out, Curve{Parameter: parameter, Unit: scale.unit, Words: scale.words, Where: where, Variant: c.Variant, Baseline: c.Baseline, Control: c.Control})
			}
			out[i].Points = append(out[i].Points, CurvePoint{X: scale.at[value], Value: value, Count: c.Rate, Interval: c.Interval})
		}
	}
	out = slices.DeleteFunc(out, func(c Curve) bool { return len(c.Points) < 2 })
	for _, c := range out {
		slices.SortStableFunc(c.Points, func(a, b CurvePoint) int { return cmp.Compare(a.X, b.X) })
	}
	return out
}

// swept names the parameters of the table in order.
func (t *Table) swept() []string {
	var out []string
	for _, s := range t.Strata {
		for _, p := range s.Parameters {
			if !slices.Contains(out, p.Name) {
				out = append(out, p.Name)
			}
		}
	}
	return out
}

// split gives the value of one parameter, and the others as the end of a stratum's name.
func split(settings []plan.Setting, parameter string) (value, rest string) {
	for _, s := range settings {
		if s.Name == parameter {
			value = s.Value
		} else {
			rest += fmt.Sprintf("/%s=%s", s.Name, s.Value)
		}
	}
	return value, rest
}

// scale places the values of a parameter.
type scale struct {
	unit  string
	words bool
	at    map[string]float64
}

// newScale reads the values as numbers, failing that as durations; when one is neither, each has its place in order.
func newScale(t *Table, parameter string) scale {
	var values []string
	for _, s := range t.Strata {
		for _, p := range s.Parameters {
			if p.Name == parameter && !slices.Contains(values, p.Value) {
				values = append(values, p.Value)
			}
		}
	}
	s := scale{at: map[string]float64{}}
	read := func(f func(string) (float64, error)) bool {
		for _, v := range values {
			x, err := f(v)
			if err != nil {
				return false
			}
			s.at[v] = x
		}
		return true
	}
	switch {
	case read(func(v string) (float64, error) {
		x, err := strconv.ParseFloat(v, 64)
		if x-x != 0 { // infinite, or not a number
			err = strconv.ErrRange
		}
		return x, err
	}):
	case read(func(v string) (float64, error) {
		d, err := time.ParseDuration(v)
		return d.Seconds(), err
	}):
		s.unit = "s"
	default:
		s.words = true
		for i, v := range values {
			s.at[v] = float64(i)
		}
	}
	return s
}
