package service

import (
	"maps"
	"slices"
	"strings"

	"github.com/failrate/failrate/harness/steps"
	"github.com/failrate/failrate/harness/trial"
)

// ControlVariable is the environment variable that says where actions on services go.
const ControlVariable = "FAILRATE_CONTROL"

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
		out = append(out, ControlVariable+"="+p.Control)
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

// oneLine keeps a message on one line of bounded length.
func oneLine(text string) string {
	text = strings.ToValidUTF8(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }), "; "), "?")
	const most = 2000
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
