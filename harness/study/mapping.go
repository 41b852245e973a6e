package study

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// mapping is a YAML mapping in the making. Its methods add nothing for a value that is empty or the default.
type mapping struct{ content []*yaml.Node }

func (m *mapping) add(key string, v *yaml.Node) {
	if v != nil {
		m.content = append(m.content, str(key), v)
	}
}

func (m *mapping) text(key, value string) {
	if value != "" {
		m.add(key, str(value))
	}
}

func (m *mapping) choice(key, value, usual string) {
	if value != usual {
		m.text(key, value)
	}
}

func (m *mapping) number(key string, value, usual float64) {
	if value != usual {
		m.add(key, float(value))
	}
}

func (m *mapping) integer(key string, value, usual int64) {
	if value != usual {
		m.add(key, whole(value))
	}
}

func (m *mapping) duration(key string, d, usual time.Duration) {
	if d != usual {
		m.text(key, short(d))
	}
}

func (m *mapping) flag(key string, value bool) {
	if value {
		m.add(key, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"})
	}
}

func (m *mapping) texts(key string, values map[string]string) {
	if len(values) == 0 {
		return
	}
	inner := &mapping{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		inner.add(name, str(values[name]))
	}
	m.add(key, inner.node())
}

// node is the mapping itself; nil when it is empty.
func (m *mapping) node() *yaml.Node {
	if len(m.content) == 0 {
		return nil
	}
	return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: m.content}
}

// flow is the mapping on one line; nil when it is empty.
func (m *mapping) flow() *yaml.Node { return flow(m.node()) }

// orEmpty is the mapping on one line, {} when it is empty.
func (m *mapping) orEmpty() *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: m.content, Style: yaml.FlowStyle}
}

func flow(n *yaml.Node) *yaml.Node {
	if n != nil {
		n.Style = yaml.FlowStyle
	}
	return n
}

// list is a list of texts; nil when there are none.
func list[T ~string](values []T) *yaml.Node {
	if len(values) == 0 {
		return nil
	}
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for _, v := range values {
		n.Content = append(n.Content, str(string(v)))
	}
	return n
}

func whole(v int64) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.FormatInt(v, 10)}
}

func float(f float64) *yaml.Node {
	text, tag := strconv.FormatFloat(f, 'f', -1, 64), "!!int"
	if strings.Contains(text, ".") {
		tag = "!!float"
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: text}
}

// str is text as plain as it can be: scripts as blocks of lines, anything unusual in double quotes.
func str(text string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	switch {
	case isScript(text):
		n.Style = yaml.LiteralStyle
	case slices.ContainsFunc([]rune(text), func(c rune) bool { return c < ' ' || c > '~' }):
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

func appendTo(n, item *yaml.Node) *yaml.Node {
	if n == nil {
		n = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	}
	n.Content = append(n.Content, item)
	return n
}

// isScript reports whether text is several lines that a literal block gives back byte for byte.
func isScript(text string) bool {
	if !strings.Contains(text, "\n") {
		return false
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		if line == "" || strings.ContainsFunc(line, func(c rune) bool { return c < ' ' || c > '~' }) {
			return false
		}
	}
	return text[0] != ' '
}
