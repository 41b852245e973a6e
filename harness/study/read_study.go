package study

import (
	"fmt"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"
)

// studyKeys are the keys at the top. What a key refers to is read before it: parameters before commands, classes and
// variants before the rules that name them.
var studyKeys = []key[Study]{
	{"study", true, func(r *reader, n *yaml.Node, s *Study) { r.studyName(n, &s.Name) }},
	{"title", false, func(r *reader, n *yaml.Node, s *Study) { r.printed(n, &s.Title) }},
	{"source", false, func(r *reader, n *yaml.Node, s *Study) { r.printed(n, &s.Source) }},
	{"conditions", false, func(r *reader, n *yaml.Node, s *Study) { r.printed(n, &s.Conditions) }},
	{"exposure", false, func(r *reader, n *yaml.Node, s *Study) { r.share(n, someShare, &s.Exposure) }},
	{"parameters", false, readParameters},
	{"classes", false, readClasses},
	{"subject", true, func(r *reader, n *yaml.Node, s *Study) { readSubject(r, n, &s.Subject) }},
	{"variants", false, readVariants},
	{"controls", false, readControls},
	{"baseline", false, readBaseline},
	{"platforms", false, readPlatforms},
	{"stress", false, readStress},
	{"iterations", false, func(r *reader, n *yaml.Node, s *Study) { r.count(n, 1, maxTrials, &s.Iterations) }},
	{"evidence", false, readEvidence},
	{"claims", false, func(r *reader, n *yaml.Node, s *Study) { readKeys(r, n, "claims", claimsKeys, &s.Claims) }},
	{"broken", false, func(r *reader, n *yaml.Node, s *Study) { readKeys(r, n, "broken", brokenKeys, &s.Broken) }},
	{"keep", false, func(r *reader, n *yaml.Node, s *Study) { one(r, n, &s.Keep, KeepFailed, KeepAll, KeepNone) }},
}

var claimsKeys = []key[Claims]{
	{"tolerate", false, func(r *reader, n *yaml.Node, c *Claims) { r.share(n, anyShare, &c.Tolerate) }},
	{"margin", false, func(r *reader, n *yaml.Node, c *Claims) { r.share(n, anyShare, &c.Margin) }},
	{"confidence", false, func(r *reader, n *yaml.Node, c *Claims) { r.share(n, sureShare, &c.Confidence) }},
}

var brokenKeys = []key[BrokenPolicy]{
	{"retries", false, func(r *reader, n *yaml.Node, b *BrokenPolicy) { r.count(n, 0, 100, &b.Retries) }},
	{"at-most", false, func(r *reader, n *yaml.Node, b *BrokenPolicy) { r.share(n, anyShare, &b.AtMost) }},
}

var studyPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)

func (r *reader) studyName(n *yaml.Node, into *string) {
	var text string
	if !r.text(n, &text) {
		return
	}
	if !studyPattern.MatchString(text) {
		r.fail(n, "1 to 64 of a-z, 0-9 and hyphen, starting with a letter or digit", "%s cannot name a study", clip(text))
		return
	}
	*into = text
}

func readBaseline(r *reader, n *yaml.Node, s *Study) {
	if !r.text(n, &s.Baseline) {
		return
	}
	if have := variantNames(s); !slices.Contains(have, s.Baseline) {
		r.fail(n, suggest(s.Baseline, have), "baseline %s is not among the variants", clip(s.Baseline))
	}
}

func variantNames(s *Study) []string {
	var out []string
	for _, v := range s.Variants {
		out = append(out, v.Name)
	}
	return out
}

func controlNames(s *Study) []string {
	var out []string
	for _, c := range s.Controls {
		out = append(out, c.Name)
	}
	return out
}

func readPlatforms(r *reader, n *yaml.Node, s *Study) {
	items, ok := r.items(n, "platforms")
	if !ok {
		return
	}
	if len(items) == 0 {
		r.fail(n, "known are container, native", "platforms is an empty list")
	}
	for _, item := range items {
		var p Platform
		one(r, item, &p, Container, Native)
		switch {
		case p == "":
		case slices.Contains(s.Platforms, p):
			r.fail(item, "", "platform %s is there twice", p)
		default:
			s.Platforms = append(s.Platforms, p)
		}
	}
}

func readParameters(r *reader, n *yaml.Node, s *Study) {
	pairs, ok := r.pairs(n)
	if !ok {
		return
	}
	variables := map[string]string{}
	for _, p := range pairs {
		if !r.name(p.at, p.name, "parameter", nil) {
			continue
		}
		one := Parameter{Name: p.name}
		switch other, taken := variables[one.EnvName()]; {
		case p.name == outPlaceholder:
			r.fail(p.at, "choose another name", "%q cannot name a parameter: {out} is where compile puts the program", p.name)
		case taken:
			r.fail(p.at, "choose another name", "parameters %q and %q would both be $%s", other, p.name, one.EnvName())
		}
		variables[one.EnvName()] = p.name
		done := r.in(fmt.Sprintf("parameter %q", p.name))
		r.parameterValues(p.value, &one)
		done()
		s.Parameters = append(s.Parameters, one)
	}
}

// parameterValues reads the values of one parameter. They stand in the names of cells, so they are short lines.
func (r *reader) parameterValues(n *yaml.Node, into *Parameter) {
	const most = 200
	texts, at := r.words(n, "values")
	if s := resolve(n); s.Kind == yaml.SequenceNode && len(s.Content) == 0 {
		r.fail(n, "", "%s has no values", r.label)
	}
	seen := map[string]bool{}
	for i, text := range texts {
		control := slices.ContainsFunc([]rune(text), func(c rune) bool { return c < ' ' || c >= 0x7f && c < 0xa0 })
		switch {
		case seen[text]:
			r.fail(at[i], "", "%s has the value %s twice", r.label, clip(text))
		case text == "" || len(text) > most || control:
			r.fail(at[i], fmt.Sprintf("a value is 1 to %d bytes without control characters", most), "%s cannot have the value %s", r.label, clip(text))
		}
		seen[text] = true
	}
	into.Values = texts
}
