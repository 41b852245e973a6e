package plan

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/failrate/failrate/harness/study"
)

// choice is a selection with every name resolved.
type choice struct {
	variants   []string
	controls   []study.Control
	platforms  []study.Platform
	stress     []string
	parameters []study.Parameter
	iterations int
}

func choose(s *study.Study, sel Selection) (choice, error) {
	c := choice{iterations: sel.Iterations}
	if c.iterations == 0 {
		c.iterations = s.Iterations
	}
	if c.iterations < 1 {
		return c, fmt.Errorf("iterations must be at least 1, not %d", c.iterations)
	}
	var err error
	if c.variants, c.controls, err = chooseVariants(s, sel); err != nil {
		return c, err
	}
	if c.platforms, err = pick("platform", sel.Platforms, s.Platforms); err != nil {
		return c, err
	}
	var levels []string
	for _, l := range s.Stress {
		levels = append(levels, l.Name)
	}
	if c.stress, err = pick("stress level", sel.Stress, levels); err != nil {
		return c, err
	}
	c.parameters, err = chooseParameters(s, sel.Parameters)
	return c, err
}

// chooseVariants keeps the study's order. The baseline always comes along: a rate alone settles nothing.
// A control that is named runs; when none is named, all of them do.
func chooseVariants(s *study.Study, sel Selection) ([]string, []study.Control, error) {
	known := make([]string, 0, len(s.Variants)+len(s.Controls))
	for _, v := range s.Variants {
		known = append(known, v.Name)
	}
	for _, c := range s.Controls {
		known = append(known, c.Name)
	}
	wanted, err := pick("variant", sel.Variants, known)
	if err != nil {
		return nil, nil, err
	}
	var variants []string
	for _, v := range s.Variants {
		if v.Name == s.Baseline || slices.Contains(wanted, v.Name) {
			variants = append(variants, v.Name)
		}
	}
	if sel.NoControls {
		return variants, nil, nil
	}
	var named []study.Control
	for _, c := range s.Controls {
		if slices.Contains(wanted, c.Name) {
			named = append(named, c)
		}
	}
	if len(named) == 0 {
		named = s.Controls
	}
	return variants, named, nil
}

func chooseParameters(s *study.Study, sel map[string][]string) ([]study.Parameter, error) {
	out := make([]study.Parameter, 0, len(s.Parameters))
	used := 0
	for _, p := range s.Parameters {
		values, err := pick("value of "+p.Name, sel[p.Name], p.Values)
		if err != nil {
			return nil, err
		}
		for _, v := range values {
			if !utf8.ValidString(v) {
				return nil, fmt.Errorf("parameter %s: the value %q is not UTF-8, so no file can hold the plan", p.Name, v)
			}
		}
		if _, ok := sel[p.Name]; ok {
			used++
		}
		out = append(out, study.Parameter{Name: p.Name, Values: values})
	}
	if used != len(sel) {
		var names []string
		for _, p := range s.Parameters {
			names = append(names, p.Name)
		}
		for _, name := range sorted(sel) {
			if !slices.Contains(names, name) {
				return nil, fmt.Errorf("study %s has no parameter %q (it has %q)", s.Name, name, names)
			}
		}
	}
	return out, nil
}

// pick keeps the known names that are wanted, in the known order; nothing wanted means all.
func pick[T ~string](what string, wanted, known []T) ([]T, error) {
	if len(wanted) == 0 {
		return known, nil
	}
	for _, w := range wanted {
		if !slices.Contains(known, w) {
			return nil, fmt.Errorf("there is no %s %q (there is %q)", what, w, known)
		}
	}
	var out []T
	for _, k := range known {
		if slices.Contains(wanted, k) {
			out = append(out, k)
		}
	}
	return out, nil
}

func sorted(m map[string][]string) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// combinations is the cross product of the parameters' values, the last parameter varying fastest.
func combinations(parameters []study.Parameter) [][]Setting {
	out := [][]Setting{nil}
	for _, p := range parameters {
		var next [][]Setting
		for _, head := range out {
			for _, v := range p.Values {
				next = append(next, append(slices.Clone(head), Setting{Name: p.Name, Value: v}))
			}
		}
		out = next
	}
	return out
}

func (c choice) stratum(s *study.Study, platform study.Platform, level string, settings []Setting) Stratum {
	st := Stratum{Platform: platform, Stress: level, Parameters: settings}
	cell := func(variant string, control bool, trials int) Cell {
		return Cell{Variant: variant, Control: control, Platform: platform, Stress: level, Parameters: settings, Trials: trials}
	}
	for _, v := range c.variants {
		st.Cells = append(st.Cells, cell(v, false, c.iterations))
	}
	for _, ctl := range c.controls {
		st.Controls = append(st.Controls, cell(ctl.Name, true, 2*ctl.Iterations))
	}
	return st
}
