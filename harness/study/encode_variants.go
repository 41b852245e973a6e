package study

import (
	"strconv"

	"go.yaml.in/yaml/v3"
)

func encodeVariants(variants []Variant) *yaml.Node {
	m := &mapping{}
	for _, v := range variants {
		m.add(v.Name, encodeVariant(v).orEmpty())
	}
	return m.node()
}

func encodeVariant(v Variant) *mapping {
	m := &mapping{}
	m.add("patch", flow(list(v.Patches)))
	m.text("ref", v.Ref)
	m.texts("files", v.Files)
	m.texts("env", v.Env)
	m.add("args", flow(list(v.Args)))
	m.add("command", flow(list(v.Command)))
	m.add("image", encodeImage(v.Image))
	m.add("setup", encodeCommands(v.Setup))
	m.texts("build-args", v.BuildArgs)
	m.add("services", encodeServiceChanges(v.Services))
	return m
}

func encodeControls(controls []Control) *yaml.Node {
	m := &mapping{}
	for _, c := range controls {
		v := encodeVariant(c.Variant)
		expect := &mapping{}
		expect.flag("fail", c.Expect.Fail)
		expect.text("class", c.Expect.Class)
		expect.number("at-least", c.Expect.AtLeast, 0)
		expect.number("at-most", c.Expect.AtMost, 1)
		if c.Expect.AtLeast == 0 && c.Expect.AtMost == 1 { // a study made in code: say at least one bound
			expect.add("at-most", float(1))
		}
		v.add("expect", expect.orEmpty())
		v.integer("iterations", int64(c.Iterations), DefaultControlIterations)
		m.add(c.Name, v.orEmpty())
	}
	return m.node()
}

func encodeStress(levels []Stress) *yaml.Node {
	m := &mapping{}
	for _, l := range levels {
		level := &mapping{}
		if l.CPU > 0 {
			level.text("cpu", strconv.FormatFloat(l.CPU, 'f', -1, 64)+"x")
		}
		level.integer("workers", int64(l.Workers), 0)
		level.number("duty", l.Duty, 0)
		level.flag("burst", l.Burst)
		level.choice("place", string(l.Place), string(Beside))
		if l.Quota > 0 {
			quota := &mapping{}
			quota.number("cpus", l.Quota, 0)
			level.add("quota", quota.flow())
		}
		m.add(l.Name, level.orEmpty())
	}
	return m.node()
}

func encodeParameters(parameters []Parameter) *yaml.Node {
	m := &mapping{}
	for _, p := range parameters {
		m.add(p.Name, flow(list(p.Values)))
	}
	return m.node()
}

func encodeClasses(classes []Class) *yaml.Node {
	var n *yaml.Node
	for _, c := range classes {
		m := &mapping{}
		m.text("class", c.Name)
		m.flag("broken", c.Broken)
		m.text("match", c.Match)
		if c.Exit != nil {
			m.add("exit", whole(int64(*c.Exit)))
		}
		m.text("signal", c.Signal)
		n = appendTo(n, m.flow())
	}
	return n
}

func encodeEvidence(marks []Evidence) *yaml.Node {
	var n *yaml.Node
	for _, e := range marks {
		m := &mapping{}
		m.text("name", e.Name)
		m.text("match", e.Match)
		m.text("after", e.After)
		m.flag("optional", e.Optional)
		m.add("except", flow(list(e.Except)))
		n = appendTo(n, m.flow())
	}
	return n
}
