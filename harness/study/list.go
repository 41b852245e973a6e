package study

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

const maxItems = 10_000 // values of one list

// words reads a list of single values as text. The nodes say where each stands.
func (r *reader) words(n *yaml.Node, of string) (texts []string, at []*yaml.Node) {
	items, ok := r.items(n, of)
	if !ok {
		return nil, nil
	}
	if len(items) > maxItems {
		r.fail(n, "", "%s has more than %d values", r.label, maxItems)
		return nil, nil
	}
	for _, item := range items {
		var text string
		if r.word(item, &text) {
			texts, at = append(texts, text), append(at, item)
		}
	}
	return texts, at
}

// oneOrMore reads a string, or a list of at least one.
func (r *reader) oneOrMore(n *yaml.Node, of string) (texts []string, at []*yaml.Node) {
	items := []*yaml.Node{n}
	if resolve(n).Kind != yaml.ScalarNode {
		var ok bool
		if items, ok = r.items(n, of); !ok {
			return nil, nil
		}
		if len(items) == 0 {
			r.fail(n, "", "%s is an empty list", r.label)
		}
	}
	for _, item := range items {
		var text string
		if r.text(item, &text) {
			texts, at = append(texts, text), append(at, item)
		}
	}
	return texts, at
}

var (
	envPattern      = regexp.MustCompile(`^[^=\x00]+$`)
	buildArgPattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

const reservedEnv = "FAILRATE_"

// environment reads the variables of a process.
func (r *reader) environment(n *yaml.Node, into *map[string]string) {
	r.textMap(n, into, func(p pair) bool {
		switch {
		case !envPattern.MatchString(p.name):
			r.fail(p.at, "", "%s is not the name of an environment variable", clip(p.name))
		case strings.HasPrefix(p.name, reservedEnv):
			r.fail(p.at, "choose another name", "%s: names that start with %s are the harness's own", clip(p.name), reservedEnv)
		default:
			return true
		}
		return false
	})
}

// unsetPattern is a name, or the beginning of names with a star after it. A star alone would unset PATH too.
var unsetPattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*\*?$`)

// unset reads the names of variables that are not inherited.
func (r *reader) unset(n *yaml.Node, into *[]string) {
	texts, at := r.words(n, "names")
	for i, text := range texts {
		switch {
		case !unsetPattern.MatchString(text):
			r.fail(at[i], "such as CI, or JENKINS_* for all that begin so", "%s is not the name of an environment variable", clip(text))
		case slices.Contains(*into, text):
			r.fail(at[i], "", "unset: %q is there twice", text)
		default:
			*into = append(*into, text)
		}
	}
}

// Inherits reports whether a variable of the harness's own environment is passed on to the set-up and the trials.
func (s Subject) Inherits(name string) bool {
	for _, u := range s.Unset {
		if start, open := strings.CutSuffix(u, "*"); name == u || open && strings.HasPrefix(name, start) {
			return false
		}
	}
	return true
}

// buildArgs reads the arguments of an image build.
func (r *reader) buildArgs(n *yaml.Node, into *map[string]string) {
	r.textMap(n, into, func(p pair) bool {
		if buildArgPattern.MatchString(p.name) {
			return true
		}
		r.fail(p.at, "", "%s is not the name of a build argument", clip(p.name))
		return false
	})
}

// textMap reads a mapping of names to single values. An empty one gives nil.
func (r *reader) textMap(n *yaml.Node, into *map[string]string, allowed func(pair) bool) {
	pairs, ok := r.pairs(n)
	if !ok {
		return
	}
	var out map[string]string
	for _, p := range pairs {
		var text string
		if !r.word(p.value, &text) || !allowed(p) {
			continue
		}
		if out == nil {
			out = map[string]string{}
		}
		out[p.name] = text
	}
	*into = out
}

// namePattern is the form of the names of variants, controls, stress levels, parameters, classes and evidence.
var namePattern = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)

const nameForm = "1 to 64 of a-z, 0-9, dot, underscore and hyphen, starting with a letter or digit"

// name reads a name and refuses one that is taken.
func (r *reader) name(n *yaml.Node, text, what string, taken []string) bool {
	switch {
	case !namePattern.MatchString(text):
		r.fail(n, "a name is "+nameForm, "%s cannot name a %s", clip(text), what)
	case slices.Contains(taken, text):
		r.fail(n, "choose another name", "the %s %q has the name of an earlier one", what, text)
	default:
		return true
	}
	return false
}
