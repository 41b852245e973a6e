package service

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/failrate/failrate/harness/steps"
	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
)

// told is a request as the executor inside gets it: every place filled in, and the services' addresses in its environment.
func told(r trial.Request, p Place) trial.Request {
	r.Command, r.Env = Fill(r.Command, p.Services), append(Fill(r.Env, p.Services), Variables(p)...)
	r.Network, r.Hosts, r.Services, r.Out.Services = p.Network, p.Hosts, nil, ""
	return r
}

// Variables are the environment variables that say where services are, in the order of their names.
func Variables(p Place) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(p.Services)) {
		out = append(out, steps.ServiceVariable(name)+"="+p.Services[name])
	}
	if p.Control != "" {
		out = append(out, steps.ControlVariable+"="+p.Control)
	}
	return out
}

// Fill gives the texts with the places in them filled in.
func Fill(texts []string, places map[string]string) []string {
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(places)) {
		pairs = append(pairs, trial.Place(name), places[name])
	}
	fill := strings.NewReplacer(pairs...)
	var out []string
	for _, t := range texts {
		out = append(out, fill.Replace(t))
	}
	return out
}

// Own is what a service is told of its own place: where it is to listen, by the placeholders that study.Service.OwnNames
// lists and by variables, and where the others are. Listening are its ports there, one for each of the study's.
func Own(s study.Service, host string, listening []int, others map[string]string) (places map[string]string, env []string) {
	places = maps.Clone(others)
	if places == nil {
		places = map[string]string{}
	}
	places["host"] = host
	env = []string{"FAILRATE_HOST=" + host}
	for i, port := range s.Ports {
		own, of := strconv.Itoa(listening[i]), strconv.Itoa(port)
		if i == 0 {
			places["port"] = own
			env = append(env, "FAILRATE_PORT="+own)
		}
		places["port."+of] = own
		env = append(env, "FAILRATE_PORT_"+of+"="+own)
	}
	return places, env
}

// Environ is a service's environment as pairs, sorted, with its places filled in.
func Environ(s study.Service, places map[string]string) []string {
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		pairs = append(pairs, name+"="+s.Env[name])
	}
	return Fill(pairs, places)
}
