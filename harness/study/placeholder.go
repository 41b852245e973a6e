package study

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// outPlaceholder is where compile puts the program.
const outPlaceholder = "out"

var (
	placeholderPattern = regexp.MustCompile(`\$?\{([a-z0-9][a-z0-9._-]*)\}`)
	quantifierPattern  = regexp.MustCompile(`^[0-9]+$`) // x{3} of a regular expression
)

// placeholders checks that every {name} in a command or its arguments names a parameter or a service.
func (r *reader) placeholders(texts []string, at []*yaml.Node) {
	r.placeholdersOf(texts, at, r.knownNames())
}

// placeholdersOf checks that every {name} is among the known ones.
func (r *reader) placeholdersOf(texts []string, at []*yaml.Node, known []string) {
	for i, text := range texts {
		for _, m := range placeholderPattern.FindAllStringSubmatch(text, -1) {
			whole, name := m[0], m[1]
			declared := slices.Contains(known, name)
			switch {
			case strings.HasPrefix(whole, "$") && declared:
				r.fail(at[i], fmt.Sprintf("write {%s} or $%s", name, Parameter{Name: name}.EnvName()), "%s looks like a shell variable but names a parameter", whole)
			case strings.HasPrefix(whole, "$"), declared, quantifierPattern.MatchString(name):
			case name == outPlaceholder:
				r.fail(at[i], "", "{out} is known in compile only")
			default:
				hint := fmt.Sprintf("declare it as parameters: {%s: [...]}, or put a space after the brace to keep it as text", name)
				if best := nearest(name, known); best != "" {
					hint = fmt.Sprintf("did you mean {%s}?", best)
				}
				r.fail(at[i], hint, "{%s} is not a parameter", clipWord(name))
			}
		}
	}
}

// compilePlaceholders checks that compile says where the program goes, and uses nothing else that varies by trial.
func (r *reader) compilePlaceholders(n *yaml.Node, texts []string, at []*yaml.Node) {
	out := false
	for i, text := range texts {
		for _, m := range placeholderPattern.FindAllStringSubmatch(text, -1) {
			switch {
			case m[0] == "{"+outPlaceholder+"}":
				out = true
			case strings.HasPrefix(m[0], "$"), quantifierPattern.MatchString(m[1]):
			default:
				r.fail(at[i], "compile runs once per variant and knows {out} only", "{%s} is not known in compile", clipWord(m[1]))
			}
		}
	}
	if !out && len(texts) > 0 {
		r.fail(n, `such as [go, build, -o, "{out}", .]`, "compile does not say {out}, where the program goes")
	}
}

// setupPlaceholders refuses parameters in set-up, which runs once for all of their values.
func (r *reader) setupPlaceholders(texts []string, at []*yaml.Node) {
	for i, text := range texts {
		for _, m := range placeholderPattern.FindAllStringSubmatch(text, -1) {
			if slices.ContainsFunc(r.study.Parameters, func(p Parameter) bool { return p.Name == m[1] }) {
				r.fail(at[i], "use it in the command", "setup runs once per variant, for all values of the parameter %q", m[1])
			}
		}
	}
}

func clipWord(word string) string {
	const most = 80
	if len(word) > most {
		return word[:most] + "…"
	}
	return word
}

// EnvName is the environment variable that carries the parameter's value to the subject.
func (p Parameter) EnvName() string {
	return "FAILRATE_PARAM_" + strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(p.Name))
}
