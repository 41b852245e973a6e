package study

import (
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/failrate/failrate/harness/steps"
)

func encodeServices(services []Service) *yaml.Node {
	m := &mapping{}
	for _, s := range services {
		x := &mapping{}
		x.add("image", encodeImage(s.Image))
		x.add("entrypoint", flow(list(s.Entrypoint)))
		x.add("args", flow(list(s.Args)))
		x.add("command", flow(list(s.Command)))
		x.texts("env", s.Env)
		x.add("ports", numbers(s.Ports))
		ready := &mapping{}
		ready.text("http", s.Ready.HTTP)
		ready.integer("status", int64(s.Ready.Status), 0)
		ready.integer("port", int64(s.Ready.Port), 0)
		ready.text("log", s.Ready.Log)
		ready.duration("timeout", s.Ready.Timeout, DefaultReadyTimeout)
		x.add("ready", ready.flow())
		x.choice("per", string(s.Per), string(PerTrial))
		x.choice("death", string(s.Death), string(DeathBroken))
		x.choice("cut", string(s.Cut), string(CutNone))
		m.add(s.Name, x.node())
	}
	return m.node()
}

func encodeServiceChanges(changes map[string]ServiceChange) *yaml.Node {
	m := &mapping{}
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		c, x := changes[name], &mapping{}
		x.add("image", encodeImage(c.Image))
		x.add("entrypoint", flow(list(c.Entrypoint)))
		x.add("args", flow(list(c.Args)))
		x.add("command", flow(list(c.Command)))
		x.texts("env", c.Env)
		m.add(name, x.orEmpty())
	}
	return m.flow()
}

func encodeSteps(list []steps.Step) *yaml.Node {
	var n *yaml.Node
	for _, s := range list {
		n = appendTo(n, encodeStep(s).flow())
	}
	return n
}

func encodeStep(s steps.Step) *mapping {
	m := &mapping{}
	m.text("name", s.Name)
	if s.Method != "" {
		m.add(strings.ToLower(s.Method), str(s.URL))
	}
	m.texts("headers", s.Headers)
	m.text("body", s.Body)
	m.text("body-file", s.BodyFile)
	m.add("status", numbers(s.Status))
	m.text("match", s.Match)
	m.texts("json", s.JSON)
	m.duration("within", s.Within, 0)
	m.duration("every", s.Every, 0)
	m.duration("timeout", s.Timeout, 0)
	m.integer("repeat", int64(s.Repeat), 0)
	m.texts("save", s.Save)
	m.text("metric", s.Metric)
	m.text("class", s.Class)
	var classes *yaml.Node
	for _, c := range s.Classes {
		x := &mapping{}
		x.text("class", c.Class)
		x.add("status", numbers(c.Status))
		x.text("match", c.Match)
		x.add("after", flow(list(c.After)))
		classes = appendTo(classes, x.flow())
	}
	m.add("classes", flow(classes))
	m.flag("go-on", s.GoOn)
	m.flag("optional", s.Optional)
	m.add("after", flow(list(s.After)))
	m.add("unless", flow(list(s.Unless)))
	m.text("wait", s.Wait)
	m.add("same", flow(list(s.Same)))
	m.add("differ", flow(list(s.Differ)))
	if s.Action != "" {
		m.add(string(s.Action), flow(list(s.Services)))
	}
	m.add("only", flow(list(s.Only)))
	m.add("except", flow(list(s.Except)))
	return m
}

func numbers(values []int) *yaml.Node {
	var n *yaml.Node
	for _, v := range values {
		n = appendTo(n, whole(int64(v)))
	}
	return flow(n)
}
