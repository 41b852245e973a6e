package study

import "go.yaml.in/yaml/v3"

func encodeSubject(s, d Subject) *yaml.Node {
	m := &mapping{}
	if s.Git != nil {
		git := &mapping{}
		git.text("url", s.Git.URL)
		git.text("ref", s.Git.Ref)
		m.add("git", git.flow())
	}
	if s.Dir != "." {
		m.text("dir", s.Dir)
	}
	m.flag("shell", s.Shell)
	m.add("compile", flow(list(s.Compile)))
	m.add("image", encodeImage(s.Image))
	m.add("setup", encodeCommands(s.Setup))
	m.texts("env", s.Env)
	m.add("unset", flow(list(s.Unset)))
	m.add("services", encodeServices(s.Services))
	m.add("command", encodeCommand(s.Command, s.Shell))
	m.add("steps", encodeSteps(s.Steps))
	m.add("results", encodeResults(s.Results))
	m.text("timeout", short(s.Timeout))
	m.duration("grace", s.Grace, d.Grace)
	isolation := &mapping{}
	isolation.choice("native", string(s.Isolation.Native), string(d.Isolation.Native))
	isolation.choice("container", string(s.Isolation.Container), string(d.Isolation.Container))
	m.add("isolation", isolation.flow())
	m.choice("network", string(s.Network), string(d.Network))
	limits := &mapping{}
	limits.number("cpus", s.Limits.CPUs, 0)
	limits.text("cpuset", s.Limits.CPUSet)
	limits.integer("memory", s.Limits.Memory, 0)
	limits.integer("pids", s.Limits.Pids, 0)
	m.add("limits", limits.flow())
	m.integer("max-output", s.MaxOutput, d.MaxOutput)
	return m.node()
}

func encodeImage(i Image) *yaml.Node {
	if !i.given() {
		return nil
	}
	m := &mapping{}
	m.text("name", i.Name)
	m.text("build", i.Build)
	m.choice("pull", string(i.Pull), string(PullMissing))
	m.texts("args", i.Args)
	return m.flow()
}

func encodeCommand(words []string, shell bool) *yaml.Node {
	if shell && len(words) == 1 {
		return str(words[0])
	}
	return flow(list(words))
}

// encodeCommands writes a list of commands; nil stays out, and none is an empty list.
func encodeCommands(commands [][]string) *yaml.Node {
	if commands == nil {
		return nil
	}
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	if len(commands) == 0 {
		n.Style = yaml.FlowStyle
	}
	for _, c := range commands {
		n.Content = append(n.Content, flow(list(c)))
	}
	return n
}

func encodeResults(v Results) *yaml.Node {
	switch {
	case v.Files == "" && v.RetriedPass != retriedPass && v.Format == ResultExit:
		return nil
	case v.Files == "" && v.RetriedPass != retriedPass:
		return str(string(v.Format))
	}
	m := &mapping{}
	files := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
	if v.Files != "" {
		files = str(v.Files)
	}
	m.add(string(v.Format), files)
	m.choice("retried-pass", v.RetriedPass, retriedFail)
	return m.flow()
}
