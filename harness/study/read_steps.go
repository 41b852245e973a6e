package study

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/failrate/failrate/harness/steps"
)

const maxSteps = 1000

// stepKeys are the keys of a step. What says which kind of step it is comes first.
var stepKeys = slices.Concat(
	[]key[steps.Step]{{"name", false, func(r *reader, n *yaml.Node, s *steps.Step) { r.text(n, &s.Name) }}},
	requestKinds(),
	[]key[steps.Step]{
		{"headers", false, func(r *reader, n *yaml.Node, s *steps.Step) {
			r.stepMap(n, &s.Headers, headerNamePattern, "a header's name")
		}},
		{"body", false, func(r *reader, n *yaml.Node, s *steps.Step) { r.stepText(n, &s.Body) }},
		{"body-file", false, func(r *reader, n *yaml.Node, s *steps.Step) { r.glob(n, &s.BodyFile) }},
		{"status", false, func(r *reader, n *yaml.Node, s *steps.Step) { r.statuses(n, &s.Status) }},
		{"match", false, func(r *reader, n *yaml.Node, s *steps.Step) { r.stepPattern(n, &s.Match) }},
		{"json", false, func(r *reader, n *yaml.Node, s *steps.Step) {
			r.stepMap(n, &s.JSON, pointerPattern, "a JSON pointer, such as /a/0/b")
		}},
		{"within", false, func(r *reader, n *yaml.Node, s *steps.Step) { r.duration(n, &s.Within) }},
		{"every", false, func(r *reader, n *yaml.Node, s *steps.Step) { r.duration(n, &s.Every) }},
		{"timeout", false, func(r *reader, n *yaml.Node, s *steps.Step) { r.duration(n, &s.Timeout) }},
		{"repeat", false, func(r *reader, n *yaml.Node, s *steps.Step) { r.count(n, 1, maxTrials, &s.Repeat) }},
		{"save", false, func(r *reader, n *yaml.Node, s *steps.Step) { r.saves(n, &s.Save) }},
		{"metric", false, func(r *reader, n *yaml.Node, s *steps.Step) {
			if r.text(n, &s.Metric) {
				r.name(n, s.Metric, "metric", nil)
			}
		}},
		{"class", false, func(r *reader, n *yaml.Node, s *steps.Step) {
			if r.text(n, &s.Class) {
				r.name(n, s.Class, "class", nil)
			}
		}},
		{"classes", false, readStepClasses},
		{"optional", false, func(r *reader, n *yaml.Node, s *steps.Step) { r.flag(n, &s.Optional) }},
		{"after", false, func(r *reader, n *yaml.Node, s *steps.Step) { r.earlier(n, &s.After) }},
		{"unless", false, func(r *reader, n *yaml.Node, s *steps.Step) { r.earlier(n, &s.Unless) }},
		{"go-on", false, func(r *reader, n *yaml.Node, s *steps.Step) { r.flag(n, &s.GoOn) }},
		{"wait", false, func(r *reader, n *yaml.Node, s *steps.Step) { r.waiting(n, &s.Wait) }},
		{"same", false, func(r *reader, n *yaml.Node, s *steps.Step) { r.compared(n, &s.Same) }},
		{"differ", false, func(r *reader, n *yaml.Node, s *steps.Step) { r.compared(n, &s.Differ) }},
	},
	actionKinds(),
	[]key[steps.Step]{
		{"only", false, func(r *reader, n *yaml.Node, s *steps.Step) { s.Only, _ = r.oneOrMore(n, "variants") }},
		{"except", false, func(r *reader, n *yaml.Node, s *steps.Step) { s.Except, _ = r.oneOrMore(n, "variants") }},
	},
)

// methods are the keys of requests, which are the methods in small letters.
func methods() []string { return []string{"get", "post", "put", "patch", "delete", "head"} }

// kinds are the keys of which a step has exactly one.
func kinds() []string {
	out := append(methods(), "wait", "same", "differ")
	for _, a := range steps.Actions() {
		out = append(out, string(a))
	}
	return out
}

func requestKinds() (out []key[steps.Step]) {
	for _, m := range methods() {
		out = append(out, key[steps.Step]{m, false, func(r *reader, n *yaml.Node, s *steps.Step) {
			s.Method = strings.ToUpper(m)
			r.stepText(n, &s.URL)
			if s.URL != "" && !strings.HasPrefix(s.URL, "http://") && !strings.HasPrefix(s.URL, "https://") && !strings.HasPrefix(s.URL, "{") {
				r.fail(n, "such as http://{service}/path", "%s is not the URL of a request", clip(s.URL))
			}
		}})
	}
	return out
}

func actionKinds() (out []key[steps.Step]) {
	for _, a := range steps.Actions() {
		out = append(out, key[steps.Step]{string(a), false, func(r *reader, n *yaml.Node, s *steps.Step) {
			s.Action = a
			texts, at := r.oneOrMore(n, "services")
			for i, text := range texts {
				if _, known := r.study.Subject.service(text); !known {
					r.fail(at[i], suggest(text, r.study.Subject.serviceNames()), "%s is not a service of the subject", clip(text))
				}
			}
			s.Services = texts
		}})
	}
	return out
}

// readSteps reads the steps in order: a step knows what the ones before it saved.
func readSteps(r *reader, n *yaml.Node, sub *Subject) {
	items, ok := r.items(n, "steps")
	if !ok {
		return
	}
	if len(items) == 0 || len(items) > maxSteps {
		r.fail(n, "", "steps must be 1 to %d steps", maxSteps)
		return
	}
	r.saved = nil
	var taken []string
	for _, item := range items {
		start := resolve(item)
		s := steps.Step{Source: fmt.Sprintf("%s:%d:%d", filepath.Base(r.file), start.Line, start.Column)}
		at := readKeys(r, item, "step", stepKeys, &s)
		if start.Kind == yaml.MappingNode {
			r.stepChecks(item, at, s)
		}
		if at["name"] != nil && s.Name != "" && r.name(at["name"], s.Name, "step", taken) {
			taken = append(taken, s.Name)
		}
		for _, name := range []string{"only", "except"} {
			if at[name] != nil {
				r.later = append(r.later, at[name]) // variants are not read yet
			}
		}
		for name := range s.Save {
			r.saved = append(r.saved, name)
		}
		sub.Steps = append(sub.Steps, s)
	}
	r.stepMetrics(n, sub.Steps)
	if _, err := (steps.Script{Steps: sub.Steps}).Encode(); err != nil {
		r.fail(n, "", "%v", err)
	}
	markCut(sub)
}

// stepMetrics checks that a record can hold what the steps measure.
func (r *reader) stepMetrics(n *yaml.Node, all []steps.Step) {
	found := map[string]bool{}
	for _, s := range all {
		if metric := s.MetricName(); metric != "" {
			found[metric] = true
			if len(metric) > steps.MaxMetricName {
				r.fail(n, "metric: gives it another", "the metric %s has a name of more than %d characters", clip(metric), steps.MaxMetricName)
			}
		}
	}
	if len(found) > steps.MaxMetrics {
		r.fail(n, "steps without a name report none, or several the same metric", "the steps report %d metrics, and a record holds %d", len(found), steps.MaxMetrics)
	}
}

// markCut makes every service that a step cuts one that can be cut.
func markCut(sub *Subject) {
	for _, s := range sub.Steps {
		for i := range sub.Services {
			if s.Action == steps.Cut && slices.Contains(s.Services, sub.Services[i].Name) && sub.Services[i].Cut == CutNone {
				sub.Services[i].Cut = CutDrop
			}
		}
	}
}

// ofRequests are the keys that only a request has.
func ofRequests() []string {
	return []string{"headers", "body", "body-file", "status", "match", "json", "within", "every", "timeout", "repeat", "save", "metric", "classes"}
}

func (r *reader) stepChecks(n *yaml.Node, at map[string]*yaml.Node, s steps.Step) {
	var found []string
	for _, k := range kinds() {
		if at[k] != nil {
			found = append(found, k)
		}
	}
	switch {
	case len(found) == 0:
		r.fail(n, "one of "+strings.Join(kinds(), ", "), "a step does not say what it does")
		return
	case len(found) > 1:
		r.fail(at[found[1]], "make two steps of it", "a step cannot both %s and %s", found[0], found[1])
		return
	}
	if s.Method == "" {
		for _, k := range ofRequests() {
			if at[k] != nil {
				r.fail(at[k], "", "%s belongs to a request, not to %s", k, found[0])
			}
		}
	}
	switch {
	case at["body"] != nil && at["body-file"] != nil:
		r.fail(at["body-file"], "leave one of them out", "a step has both body and body-file")
	case at["every"] != nil && at["within"] == nil:
		r.fail(at["every"], "within: 30s says how long it is tried", "every is the time between tries, but there is no within")
	case at["optional"] != nil && (at["class"] != nil || at["classes"] != nil || at["go-on"] != nil):
		r.fail(at["optional"], "leave out optional, or class, classes and go-on", "an optional step cannot fail the trial, so nothing can be said of its failure")
	case at["within"] != nil && at["repeat"] != nil:
		r.fail(at["repeat"], "leave one of them out", "a step has both within and repeat")
	}
}

var (
	headerNamePattern = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")
	pointerPattern    = regexp.MustCompile(`^(/([^/~]|~[01])*)*$`)
	savePattern       = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)
	envPlaceholder    = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)
	wholeName         = regexp.MustCompile(`^\{([a-z0-9][a-z0-9._-]*)\}$`)
)

// stepText reads text with placeholders.
func (r *reader) stepText(n *yaml.Node, into *string) {
	if r.word(n, into) {
		r.stepPlaceholders(n, *into)
	}
}

// stepPlaceholders checks the {name}s and ${NAME}s of a step's text.
func (r *reader) stepPlaceholders(n *yaml.Node, text string) {
	r.placeholdersOf([]string{envPlaceholder.ReplaceAllString(text, "")}, []*yaml.Node{n}, slices.Concat(r.knownNames(), steps.Known(), r.saved))
	for _, m := range envPlaceholder.FindAllStringSubmatch(text, -1) {
		if _, ok := r.study.Subject.Env[m[1]]; !ok {
			r.fail(n, fmt.Sprintf("env: {%s: ...} gives it a value, which variants can change", m[1]), "${%s} is not in the subject's env", clipWord(m[1]))
		}
	}
}

// stepPattern reads an expression with placeholders, each of which stands for the text of its value.
func (r *reader) stepPattern(n *yaml.Node, into *string) {
	r.pattern(n, into)
	if *into != "" {
		r.stepPlaceholders(n, *into)
	}
}

func (r *reader) stepMap(n *yaml.Node, into *map[string]string, form *regexp.Regexp, what string) {
	r.textMap(n, into, func(p pair) bool {
		if !form.MatchString(p.name) {
			r.fail(p.at, "", "%s is not %s", clip(p.name), what)
			return false
		}
		r.stepPlaceholders(p.value, resolve(p.value).Value)
		return true
	})
}

func (r *reader) saves(n *yaml.Node, into *map[string]string) {
	r.textMap(n, into, func(p pair) bool {
		switch {
		case !savePattern.MatchString(p.name) || slices.Contains(ownNames(), p.name):
			r.fail(p.at, "", "%s cannot name a saved value", clip(p.name))
		case slices.Contains(r.knownNames(), p.name):
			r.fail(p.at, "choose another name", "%q is a parameter or a service already", p.name)
		case !pointerPattern.MatchString(resolve(p.value).Value):
			r.fail(p.value, "", "%s is not a JSON pointer, such as /a/0/b", clip(resolve(p.value).Value))
		default:
			return true
		}
		return false
	})
}

// ownNames are the placeholders that mean something everywhere.
func ownNames() []string {
	return append(steps.Known(), outPlaceholder, hostPlaceholder, portPlaceholder)
}

// statuses reads one HTTP status or a list of them.
func (r *reader) statuses(n *yaml.Node, into *[]int) {
	items := []*yaml.Node{n}
	if resolve(n).Kind == yaml.SequenceNode {
		items = resolve(n).Content
		if len(items) == 0 {
			r.fail(n, "", "%s is an empty list", r.label)
		}
	}
	for _, item := range items {
		var v int
		if r.count(item, 100, 599, &v); v != 0 {
			*into = append(*into, v)
		}
	}
}

// waiting reads a duration, which may be 0s, or a parameter all of whose values are durations.
func (r *reader) waiting(n *yaml.Node, into *string) {
	if !r.text(n, into) {
		return
	}
	values := []string{*into}
	if m := wholeName.FindStringSubmatch(*into); m != nil {
		r.stepPlaceholders(n, *into)
		values = nil
		for _, p := range r.study.Parameters {
			if p.Name == m[1] {
				values = p.Values
			}
		}
	}
	for _, v := range values {
		if d, err := time.ParseDuration(v); err != nil || d < 0 || d > maxDuration || !durationPattern.MatchString(v) {
			r.fail(n, "such as 500ms, 10s or 0s", "wait: %s is not a duration", clip(v))
		}
	}
}

// compared reads two texts or more.
func (r *reader) compared(n *yaml.Node, into *[]string) {
	texts, at := r.words(n, "texts")
	if len(texts) < 2 {
		r.fail(n, "such as ['{first}', '{second}']", "%s compares %s, and needs two at least", r.label, strconv.Itoa(len(texts)))
	}
	for i, text := range texts {
		r.stepPlaceholders(at[i], text)
	}
	*into = texts
}

var stepClassKeys = []key[steps.Class]{
	{"class", true, func(r *reader, n *yaml.Node, c *steps.Class) {
		if r.text(n, &c.Class) {
			r.name(n, c.Class, "class", nil)
		}
	}},
	{"status", false, func(r *reader, n *yaml.Node, c *steps.Class) { r.statuses(n, &c.Status) }},
	{"match", false, func(r *reader, n *yaml.Node, c *steps.Class) { r.stepPattern(n, &c.Match) }},
	{"after", false, func(r *reader, n *yaml.Node, c *steps.Class) { r.earlier(n, &c.After) }},
}

// earlier reads the names of steps that come before.
func (r *reader) earlier(n *yaml.Node, into *[]string) {
	names, at := r.oneOrMore(n, "steps")
	known := r.study.Subject.stepNames()
	for i, name := range names {
		if !slices.Contains(known, name) {
			r.fail(at[i], suggest(name, known), "%s is not the name of an earlier step", clip(name))
		}
	}
	*into = names
}

func readStepClasses(r *reader, n *yaml.Node, s *steps.Step) {
	items, ok := r.items(n, "rules")
	if !ok {
		return
	}
	for _, item := range items {
		var c steps.Class
		readKeys(r, item, "step class", stepClassKeys, &c)
		s.Classes = append(s.Classes, c)
	}
}

// laterNames checks the variants that steps name, once the variants are known.
func (r *reader) laterNames() {
	known := slices.Concat(variantNames(r.study), controlNames(r.study))
	for _, n := range r.later {
		items := []*yaml.Node{resolve(n)}
		if items[0].Kind == yaml.SequenceNode {
			items = items[0].Content
		}
		for _, item := range items {
			if v := resolve(item); !slices.Contains(known, v.Value) {
				r.fail(v, suggest(v.Value, known), "%s is neither a variant nor a control", clip(v.Value))
			}
		}
	}
}
