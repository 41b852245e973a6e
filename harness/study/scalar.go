package study

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// word reads any single value as the text that stands in the file: -n, 5, true, 9.10.
func (r *reader) word(n *yaml.Node, into *string) bool {
	n = resolve(n)
	if n.Kind == yaml.ScalarNode {
		switch n.ShortTag() {
		case "!!str", "!!int", "!!float", "!!bool", "!!timestamp":
			if strings.ContainsRune(n.Value, 0) {
				r.fail(n, "", "%s holds a NUL character, which no process can be given", r.label)
				return false
			}
			*into = n.Value
			return true
		}
	}
	r.wrongKind(n, "text")
	return false
}

// text reads a string; other kinds of value need quotes to be one.
func (r *reader) text(n *yaml.Node, into *string) bool {
	n = resolve(n)
	if n.Kind == yaml.ScalarNode {
		switch n.ShortTag() {
		case "!!int", "!!float", "!!bool":
			r.fail(n, "put it in quotes", "%s must be text, not %s", r.label, describe(n))
			return false
		}
	}
	return r.word(n, into)
}

// printed reads text that is shown to people: no control characters but line breaks and tabs.
func (r *reader) printed(n *yaml.Node, into *string) {
	var text string
	if !r.text(n, &text) {
		return
	}
	const most = 2000
	switch bad := strings.IndexFunc(text, func(c rune) bool { return c < ' ' && c != '\n' && c != '\t' || c >= 0x7f && c < 0xa0 }); {
	case bad >= 0:
		r.fail(n, "", "%s holds the control character %U", r.label, []rune(text[bad:])[0])
	case len(text) > most:
		r.fail(n, "", "%s is longer than %d bytes", r.label, most)
	default:
		*into = text
	}
}

// one reads one of a closed set of words.
func one[T ~string](r *reader, n *yaml.Node, into *T, of ...T) {
	var text string
	if !r.text(n, &text) {
		return
	}
	if !slices.Contains(of, T(text)) {
		words := make([]string, 0, len(of))
		for _, w := range of {
			words = append(words, string(w))
		}
		r.fail(n, suggest(text, words), "%s cannot be %s", r.label, clip(text))
		return
	}
	*into = T(text)
}

func (r *reader) flag(n *yaml.Node, into *bool) {
	n = resolve(n)
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" || n.Decode(into) != nil {
		r.wrongKind(n, "true or false")
	}
}
