package containers

import (
	"slices"
	"strings"
	"testing"
)

func TestExpandBraces(t *testing.T) {
	t.Parallel()
	for glob, want := range map[string][]string{
		"":                         nil,
		"build/*.xml":              {"build/*.xml"},
		"a{b,c}d":                  {"abd", "acd"},
		"a{b,c{d,e}}":              {"ab", "acd", "ace"},
		"{a,b}/{c,d}":              {"a/c", "a/d", "b/c", "b/d"},
		"{a}":                      {"a"},
		"{,x}y":                    {"y", "xy"},
		`a\{b,c\}`:                 {`a\{b,c\}`},
		"[{]b,c}":                  {"[{]b,c}"},
		"[!a]b":                    {"[^a]b"},
		"a{b,c":                    {"a{b,c"},
		"**/{TEST,IT}-*.{xml,XML}": {"**/TEST-*.xml", "**/TEST-*.XML", "**/IT-*.xml", "**/IT-*.XML"},
	} {
		got, err := expandBraces(glob)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %q, %v; want %q", glob, got, err, want)
		}
	}
	if _, err := expandBraces(strings.Repeat("{a,b}", 20)); err == nil {
		t.Error("a million alternatives were taken")
	}
}
