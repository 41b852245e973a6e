package study

import "go.yaml.in/yaml/v3"

const maxWorkers = 4096

var stressKeys = []key[Stress]{
	{"cpu", false, func(r *reader, n *yaml.Node, s *Stress) { r.perCore(n, &s.CPU) }},
	{"workers", false, func(r *reader, n *yaml.Node, s *Stress) { r.count(n, 1, maxWorkers, &s.Workers) }},
	{"duty", false, func(r *reader, n *yaml.Node, s *Stress) { r.share(n, someShare, &s.Duty) }},
	{"burst", false, func(r *reader, n *yaml.Node, s *Stress) { r.flag(n, &s.Burst) }},
	{"place", false, func(r *reader, n *yaml.Node, s *Stress) { one(r, n, &s.Place, Beside, Inside) }},
	{"quota", false, func(r *reader, n *yaml.Node, s *Stress) { readKeys(r, n, "quota", quotaKeys, s) }},
}

var quotaKeys = []key[Stress]{
	{"cpus", true, func(r *reader, n *yaml.Node, s *Stress) { r.cores(n, &s.Quota) }},
}

// noStress is the level that every report knows as no load.
const noStress = "none"

// readStress reads the stress levels; a level without a value asks for nothing.
func readStress(r *reader, n *yaml.Node, s *Study) {
	pairs, ok := r.pairs(n)
	if !ok {
		return
	}
	if s.Stress = nil; len(pairs) == 0 {
		r.fail(n, "leave it out to measure without stress", "stress is empty")
	}
	for _, p := range pairs {
		if !r.name(p.at, p.name, "stress level", nil) {
			continue
		}
		level := Stress{Name: p.name, Place: Beside}
		if !isNull(p.value) {
			r.stressLevel(p, &level)
		}
		s.Stress = append(s.Stress, level)
	}
}

func (r *reader) stressLevel(p pair, level *Stress) {
	at := readKeys(r, p.value, "stress", stressKeys, level)
	if at["cpu"] != nil && at["workers"] != nil {
		r.fail(at["workers"], "cpu counts by core, workers in all", "stress level %q has both cpu and workers", p.name)
	}
	for _, k := range []string{"duty", "burst", "place"} {
		if at[k] != nil && at["cpu"] == nil && at["workers"] == nil {
			r.fail(at[k], "add cpu or workers", "%s says how workers run, but stress level %q has none", k, p.name)
		}
	}
	if p.name == noStress && len(at) > 0 {
		r.fail(p.at, "give the level another name", "stress level %q cannot have a load", p.name)
	}
}
