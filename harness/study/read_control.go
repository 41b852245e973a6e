package study

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

var expectKeys = []key[Expect]{
	{"fail", false, func(r *reader, n *yaml.Node, e *Expect) { r.flag(n, &e.Fail) }},
	{"class", false, readExpectedClass},
	{"at-least", false, func(r *reader, n *yaml.Node, e *Expect) { r.share(n, anyShare, &e.AtLeast) }},
	{"at-most", false, func(r *reader, n *yaml.Node, e *Expect) { r.share(n, anyShare, &e.AtMost) }},
}

// controlKeys are a variant's keys and those that say what is known in advance.
var controlKeys = append(liftedVariantKeys(),
	key[Control]{"expect", true, readExpect},
	key[Control]{"iterations", false, func(r *reader, n *yaml.Node, c *Control) { r.count(n, 1, maxTrials, &c.Iterations) }},
)

func liftedVariantKeys() []key[Control] {
	var out []key[Control]
	for _, k := range variantKeys {
		out = append(out, key[Control]{k.name, k.required, func(r *reader, n *yaml.Node, c *Control) { k.read(r, n, &c.Variant) }})
	}
	return out
}

func readControls(r *reader, n *yaml.Node, s *Study) {
	pairs, ok := r.pairs(n)
	if !ok {
		return
	}
	for _, p := range pairs {
		if !r.name(p.at, p.name, "control", slices.Concat(variantNames(s), controlNames(s))) {
			continue
		}
		c := Control{Variant: Variant{Name: p.name}, Expect: Expect{AtMost: 1}, Iterations: DefaultControlIterations}
		at := readKeys(r, p.value, "control", controlKeys, &c)
		r.variantChecks(at, c.Variant)
		s.Controls = append(s.Controls, c)
	}
}

func readExpect(r *reader, n *yaml.Node, c *Control) {
	at := readKeys(r, n, "expect", expectKeys, &c.Expect)
	if resolve(n).Kind != yaml.MappingNode {
		return
	}
	e := c.Expect
	switch {
	case at["fail"] != nil && at["class"] != nil:
		r.fail(at["class"], "leave one of them out", "expect counts either every failure or those of a class")
	case at["fail"] == nil && at["class"] == nil:
		r.fail(n, "fail: true counts every failure, class: NAME those of a class", "expect does not say what is counted")
	case at["fail"] != nil && !e.Fail:
		r.fail(at["fail"], "for a control that must not fail, write fail: true, at-most: 0%", "fail can only be true")
	}
	switch {
	case at["at-least"] == nil && at["at-most"] == nil:
		r.fail(n, "at-least: 99% or at-most: 1%, for example", "expect has no bound")
	case e.AtLeast > e.AtMost:
		r.fail(at["at-least"], "", "at-least is above at-most")
	case e.AtLeast == 0 && e.AtMost == 1:
		r.fail(n, "a control is known in advance: at-least above 0% or at-most below 100%", "expect has bounds that every rate meets")
	}
}

// readExpectedClass checks the class against the rules, unless the subject's own records may name others.
func readExpectedClass(r *reader, n *yaml.Node, e *Expect) {
	if !r.text(n, &e.Class) {
		return
	}
	var known []string
	for _, c := range r.study.Classes {
		if c.Name != "" && !slices.Contains(known, c.Name) {
			known = append(known, c.Name)
		}
	}
	known = append(known, otherClass)
	switch {
	case slices.Contains(known, e.Class):
	case r.study.Subject.Results.Format == ResultRecords:
		r.name(n, e.Class, "class", nil)
	default:
		r.fail(n, suggest(e.Class, known), "class %s is in no rule of classes", clip(e.Class))
	}
}
