package study

import (
	"fmt"
	"os"
	"slices"

	"go.yaml.in/yaml/v3"
)

// reader walks a study's YAML values and collects every error on the way.
type reader struct {
	file  string              // for messages
	root  *os.Root            // the study's folder: nothing outside it can be opened
	dir   string              // the same folder as an absolute path
	homes map[string][]string // every table's keys by the table's name, for hints
	label string              // the key that is being read, for messages
	study *Study
	errs  Errors

	changing *Service     // the service that a variant's change is being read for
	saved    []string     // names that the steps read so far save
	later    []*yaml.Node // variants that steps name, which are not read yet
}

// key is one key of a mapping: how it is read into a value of the mapping's type.
type key[T any] struct {
	name     string
	required bool
	read     func(r *reader, n *yaml.Node, into *T)
}

// pair is one entry of a mapping.
type pair struct {
	name  string
	at    *yaml.Node // the key
	value *yaml.Node
}

func (r *reader) fail(n *yaml.Node, hint, format string, args ...any) {
	const most = 10_000 // a hostile file must not fill the memory; far more than are shown
	if len(r.errs) == most {
		return
	}
	r.errs = append(r.errs, Error{File: r.file, Line: n.Line, Col: n.Column, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// readKeys reads a mapping by its table, in the table's order: a key's reader may use what the keys above it read.
// It gives the values by key, for checks that need their position.
func readKeys[T any](r *reader, n *yaml.Node, what string, table []key[T], into *T) map[string]*yaml.Node {
	defer r.in(what)()
	found := map[string]*yaml.Node{}
	pairs, ok := r.pairs(n)
	if !ok {
		return found
	}
	for _, p := range pairs {
		if slices.Contains(names(table), p.name) {
			found[p.name] = p.value
			continue
		}
		r.unknownKey(p, what, names(table))
	}
	for _, k := range table {
		v, ok := found[k.name]
		if !ok {
			if k.required {
				r.fail(resolve(n), "", "%s has no %q", what, k.name)
			}
			continue
		}
		done := r.in(k.name)
		k.read(r, v, into)
		done()
	}
	return found
}

func names[T any](table []key[T]) []string {
	out := make([]string, 0, len(table))
	for _, k := range table {
		out = append(out, k.name)
	}
	return out
}

// in sets the label until the function that it gives is called.
func (r *reader) in(label string) func() {
	before := r.label
	r.label = label
	return func() { r.label = before }
}

// unknownKey names the nearest key of the mapping, or the mapping that has such a key.
func (r *reader) unknownKey(p pair, what string, known []string) {
	where := ""
	if what != "study" {
		where = " in " + what
	}
	if p.name == "<<" {
		r.fail(p.at, "write the keys out: merge keys are not read", "unknown field %q%s", p.name, where)
		return
	}
	hint := suggest(p.name, known)
	if nearest(p.name, known) == "" {
		for _, home := range []string{"subject", "variant", "image", "study", "results", "limits", "stress", "claims"} {
			if slices.Contains(r.homes[home], p.name) {
				hint = fmt.Sprintf("%q belongs in %s", p.name, home)
				break
			}
		}
	}
	r.fail(p.at, hint, "unknown field %s%s", clip(p.name), where)
}

// pairs gives a mapping's entries in file order. A repeated key is an error, and its first value counts.
func (r *reader) pairs(n *yaml.Node) ([]pair, bool) {
	n = resolve(n)
	if n.Kind != yaml.MappingNode {
		r.wrongKind(n, "a mapping")
		return nil, false
	}
	var out []pair
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		at, value := n.Content[i], n.Content[i+1]
		k := resolve(at)
		if k.Kind != yaml.ScalarNode {
			r.fail(at, "", "a key of %s is %s, not a word", r.label, describe(k))
			continue
		}
		if line, twice := lines[k.Value]; twice {
			r.fail(at, fmt.Sprintf("the first is on line %d", line), "%s is there twice", clip(k.Value))
			continue
		}
		lines[k.Value] = at.Line
		out = append(out, pair{k.Value, at, value})
	}
	return out, true
}

// items gives a list's values.
func (r *reader) items(n *yaml.Node, of string) ([]*yaml.Node, bool) {
	n = resolve(n)
	if n.Kind != yaml.SequenceNode {
		r.wrongKind(n, "a list of "+of)
		return nil, false
	}
	return n.Content, true
}

func (r *reader) wrongKind(n *yaml.Node, want string) {
	r.fail(n, "", "%s must be %s, not %s", r.label, want, describe(n))
}

// resolve follows an alias to its value.
func resolve(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool {
	n = resolve(n)
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

// describe says in words what a value is.
func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.ShortTag() {
	case "!!null":
		return "nothing"
	case "!!int", "!!float":
		return "the number " + n.Value
	case "!!bool":
		return n.Value
	}
	return clip(n.Value)
}
