package steps

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// placeholder is ${NAME} of the environment, or {name}. The loader of study.yaml knows the same spelling, and takes a
// ${name} that cannot be of the environment for text.
var (
	placeholder = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$?\{([a-z0-9][a-z0-9._-]*)\}`)
	quantifier  = regexp.MustCompile(`^[0-9]+$`) // x{3} of a regular expression
)

// nowLayout is how {now} is written: RFC 3339 in UTC with milliseconds.
const nowLayout = "2006-01-02T15:04:05.000Z"

// names knows what placeholders stand for.
type names struct {
	env   func(name string) (value string, ok bool)
	now   func() time.Time
	saved map[string]string // by the steps so far
	lost  map[string]bool   // what steps that failed would have saved
}

// missingName is a placeholder that stands for nothing.
type missingName struct {
	whole string
	lost  bool // the step that would have saved it has failed
}

func (m *missingName) Error() string {
	if m.lost {
		return fmt.Sprintf("%s has no value, because the step that saves it failed", m.whole)
	}
	return fmt.Sprintf("%s has no value", m.whole)
}

// fill replaces the placeholders of a text, once: what a value holds is text. A name that nobody knows is an error: sent
// as it stands it would measure something else.
func (n names) fill(text string) (string, error) {
	return n.replace(text, func(value string) string { return value })
}

// pattern fills a regular expression and compiles it. A value stands for its own text, whatever it holds.
func (n names) pattern(text string) (*regexp.Regexp, error) {
	filled, err := n.replace(text, func(value string) string { return "(?:" + regexp.QuoteMeta(value) + ")" })
	if err != nil {
		return nil, err
	}
	re, err := regexp.Compile(filled)
	if err != nil {
		return nil, fmt.Errorf("match: %w", err)
	}
	return re, nil
}

func (n names) replace(text string, as func(value string) string) (string, error) {
	var missing error
	out := placeholder.ReplaceAllStringFunc(text, func(whole string) string {
		value, ok, err := n.value(whole)
		if err != nil && missing == nil {
			missing = err
		}
		if !ok {
			return whole
		}
		return as(value)
	})
	if missing != nil {
		return "", missing
	}
	return out, nil
}

// value is what a placeholder stands for; not ok means that it is text.
func (n names) value(whole string) (value string, ok bool, err error) {
	m := placeholder.FindStringSubmatch(whole)
	variable, name := m[1], m[2]
	switch v, saved := n.saved[name]; {
	case variable != "":
		value, ok = n.env(variable)
	case strings.HasPrefix(whole, "$"):
		return "", false, nil
	case saved:
		return v, true, nil
	case n.lost[name]:
		return "", false, &missingName{whole, true}
	default:
		value, ok = n.known(name)
	}
	if !ok && (variable != "" || !quantifier.MatchString(name)) {
		return "", false, &missingName{whole: whole}
	}
	return value, ok, nil
}

// known is the value of a name that no step saved.
func (n names) known(name string) (string, bool) {
	switch name {
	case NameNow:
		return n.now().UTC().Format(nowLayout), true
	case NameTrial:
		return n.env("FAILRATE_TRIAL")
	case NameVariant:
		return n.env("FAILRATE_VARIANT")
	case NameSeed:
		return n.env("FAILRATE_SEED")
	}
	if v, ok := n.env(ServiceVariable(name)); ok {
		return v, true
	}
	return n.env(parameterVariable(name))
}
