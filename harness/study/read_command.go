package study

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// command reads a list of words, or a string that is split into words; with a shell, a string that it will run.
func (r *reader) command(n *yaml.Node, shell bool, into *[]string) (texts []string, at []*yaml.Node) {
	switch {
	case resolve(n).Kind == yaml.ScalarNode:
		texts, at = r.commandLine(n, shell)
	default:
		texts, at = r.words(n, "words")
		if s := resolve(n); s.Kind == yaml.SequenceNode && len(s.Content) == 0 {
			r.fail(n, "", "%s is an empty list", r.label)
		}
	}
	if len(texts) == 0 {
		return nil, nil
	}
	if strings.TrimSpace(texts[0]) == "" {
		r.fail(at[0], "", "%s starts with an empty word", r.label)
	}
	if shell && len(texts) > 1 {
		r.fail(at[1], "write it as one string, or leave shell out", "%s is a list of words, but a shell runs one string", r.label)
	}
	*into = texts
	return texts, at
}

func (r *reader) commandLine(n *yaml.Node, shell bool) (texts []string, at []*yaml.Node) {
	var text string
	if !r.text(n, &text) {
		return nil, nil
	}
	if shell {
		return []string{text}, []*yaml.Node{n}
	}
	texts, err := Split(text)
	if err != nil {
		r.fail(n, "quote it, write the command as a list, or set shell: true", "%s: %v", r.label, err)
		return nil, nil
	}
	for range texts {
		at = append(at, n)
	}
	return texts, at
}

// setup reads one command or a list of commands. An empty list gives no commands but not nil.
func (r *reader) setup(n *yaml.Node, shell bool, into *[][]string) {
	s := resolve(n)
	out := [][]string{}
	switch {
	case s.Kind == yaml.ScalarNode:
		texts, at := r.commandLine(n, shell)
		r.setupPlaceholders(texts, at)
		if shell && texts != nil {
			texts = []string{"/bin/sh", "-c", texts[0]}
		}
		out = append(out, texts)
	case s.Kind == yaml.SequenceNode && len(s.Content) == 0:
	case s.Kind == yaml.SequenceNode && resolve(s.Content[0]).Kind == yaml.SequenceNode:
		for _, c := range s.Content {
			if resolve(c).Kind != yaml.SequenceNode {
				r.wrongKind(resolve(c), "a list of commands that are lists of words")
				continue
			}
			out = append(out, r.setupCommand(c))
		}
	default:
		out = append(out, r.setupCommand(n))
	}
	*into = out
}

func (r *reader) setupCommand(n *yaml.Node) (words []string) {
	r.setupPlaceholders(r.command(n, false, &words))
	return words
}
