package study

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"slices"

	"go.yaml.in/yaml/v3"
)

// otherClass is the class of a failure that no rule names.
const otherClass = "other"

// Signals are the names that a class can ask for: those that Linux and macOS share.
func Signals() []string {
	return []string{
		"SIGABRT", "SIGALRM", "SIGBUS", "SIGCHLD", "SIGCONT", "SIGFPE", "SIGHUP", "SIGILL", "SIGINT", "SIGIO", "SIGKILL",
		"SIGPIPE", "SIGPROF", "SIGQUIT", "SIGSEGV", "SIGSTOP", "SIGSYS", "SIGTERM", "SIGTRAP", "SIGTSTP", "SIGTTIN", "SIGTTOU",
		"SIGURG", "SIGUSR1", "SIGUSR2", "SIGVTALRM", "SIGWINCH", "SIGXCPU", "SIGXFSZ",
	}
}

var classKeys = []key[Class]{
	{"class", false, func(r *reader, n *yaml.Node, c *Class) {
		if r.text(n, &c.Name) {
			r.name(n, c.Name, "class", nil)
		}
	}},
	{"broken", false, func(r *reader, n *yaml.Node, c *Class) { r.flag(n, &c.Broken) }},
	{"match", false, func(r *reader, n *yaml.Node, c *Class) { r.pattern(n, &c.Match) }},
	{"exit", false, func(r *reader, n *yaml.Node, c *Class) {
		var v int
		c.Exit = &v
		r.count(n, 0, 255, c.Exit)
	}},
	{"signal", false, func(r *reader, n *yaml.Node, c *Class) { one(r, n, &c.Signal, Signals()...) }},
}

// readClasses reads the ordered rules. A rule after one that matches everything would never be tried.
func readClasses(r *reader, n *yaml.Node, s *Study) {
	items, ok := r.items(n, "rules")
	if !ok {
		return
	}
	all := 0 // the line of the first rule that matches everything
	for _, item := range items {
		start := resolve(item)
		c := Class{Source: fmt.Sprintf("%s:%d:%d", filepath.Base(r.file), start.Line, start.Column)}
		at := readKeys(r, item, "class", classKeys, &c)
		if start.Kind != yaml.MappingNode {
			continue
		}
		condition := at["match"] != nil || at["exit"] != nil || at["signal"] != nil
		switch {
		case at["class"] != nil && at["broken"] != nil:
			r.fail(at["broken"], "leave one of them out", "a rule names a class or says broken, not both")
		case at["class"] == nil && at["broken"] == nil:
			r.fail(item, "class: NAME, or broken: true", "a rule has to name a class or say broken")
		case at["broken"] != nil && !c.Broken:
			r.fail(at["broken"], "leave the rule out", "broken can only be true")
		case c.Broken && !condition:
			r.fail(item, "add match, exit or signal", "a rule that calls every failure broken would hide them all")
		case all > 0:
			r.fail(item, fmt.Sprintf("move it before the rule on line %d, which matches everything", all), "this rule is never tried")
		}
		if !condition && all == 0 {
			all = start.Line
		}
		s.Classes = append(s.Classes, c)
	}
}

var evidenceKeys = []key[Evidence]{
	{"name", true, func(r *reader, n *yaml.Node, e *Evidence) { r.text(n, &e.Name) }},
	{"match", false, func(r *reader, n *yaml.Node, e *Evidence) { r.pattern(n, &e.Match) }},
	{"after", false, func(r *reader, n *yaml.Node, e *Evidence) { r.pattern(n, &e.After) }},
	{"optional", false, func(r *reader, n *yaml.Node, e *Evidence) { r.flag(n, &e.Optional) }},
	{"except", false, readExcept},
}

func readEvidence(r *reader, n *yaml.Node, s *Study) {
	items, ok := r.items(n, "marks")
	if !ok {
		return
	}
	var taken []string
	for _, item := range items {
		var e Evidence
		at := readKeys(r, item, "evidence", evidenceKeys, &e)
		if at["name"] != nil && e.Name != "" {
			r.name(at["name"], e.Name, "mark", taken)
			taken = append(taken, e.Name)
		}
		switch {
		case at["after"] != nil && at["match"] == nil:
			r.fail(at["after"], "add match", "after says where match counts, but there is no match")
		case resolve(item).Kind == yaml.MappingNode && at["match"] == nil && s.Subject.Results.Format != ResultRecords:
			r.fail(item, "only results: records can carry a mark without one", "evidence %s has no match", clip(e.Name))
		case at["name"] != nil && e.Name != "" && at["match"] == nil && len(s.Subject.Steps) > 0 && !slices.Contains(s.Subject.stepNames(), e.Name):
			r.fail(at["name"], suggest(e.Name, s.Subject.stepNames()), "evidence %s is neither a step's name nor has it a match", clip(e.Name))
		}
		s.Evidence = append(s.Evidence, e)
	}
}

func readExcept(r *reader, n *yaml.Node, e *Evidence) {
	texts, at := r.oneOrMore(n, "variants")
	known := slices.Concat(variantNames(r.study), controlNames(r.study))
	for i, text := range texts {
		switch {
		case !slices.Contains(known, text):
			r.fail(at[i], suggest(text, known), "except: %s is neither a variant nor a control", clip(text))
		case slices.Contains(e.Except, text):
			r.fail(at[i], "", "except: %q is there twice", text)
		default:
			e.Except = append(e.Except, text)
		}
	}
}

// pattern reads an RE2 expression. An empty one would match everything by accident.
func (r *reader) pattern(n *yaml.Node, into *string) {
	const most = 4000
	var text string
	if !r.text(n, &text) {
		return
	}
	if len(text) > most {
		r.fail(n, "", "%s is longer than %d bytes", r.label, most)
		return
	}
	var bad *syntax.Error
	switch _, err := regexp.Compile(text); {
	case text == "":
		r.fail(n, "leave it out to match everything", "%s is empty", r.label)
	case errors.As(err, &bad):
		r.fail(n, "expressions are RE2: no look-around, no back-references", "%s: %s: %s", r.label, bad.Code, clip(bad.Expr))
	case err != nil:
		r.fail(n, "", "%s: %v", r.label, err)
	default:
		*into = text
	}
}
