package study

import "testing"

func TestNearest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		word, want string
		candidates []string
	}{
		{"iteratons", "iterations", []string{"study", "iterations", "stress"}},
		{"Timeout", "timeout", []string{"timeout"}},
		{"wram", "warm", []string{"copy", "warm"}},
		{"xyz", "", []string{"abc"}},
		{"a", "", []string{"b"}},
		{"at", "", []string{"ab"}},
		{"SEGV", "SIGSEGV", []string{"SIGABRT", "SIGSEGV"}},
		{"TTY", "", []string{"SIGTTY", "XXTTY"}},
		{"patches", "patch", []string{"path", "patch"}},
		{"", "", []string{"a"}},
	} {
		if got := nearest(c.word, c.candidates); got != c.want {
			t.Errorf("nearest(%q, %q) = %q, want %q", c.word, c.candidates, got, c.want)
		}
	}
}

func TestSuggest(t *testing.T) {
	t.Parallel()
	many := make([]string, 25)
	for i := range many {
		many[i] = "zz"
	}
	for want, c := range map[string]struct {
		word       string
		candidates []string
	}{
		`did you mean "abcd"?`: {"abce", []string{"abcd"}},
		"known are a, b":       {"xxxxx", []string{"a", "b"}},
		"":                     {"x", nil},
		"known are zz, zz, zz, zz, zz, zz, zz, zz, zz, zz, zz, zz, zz, zz, zz, zz, zz, zz, zz, zz and 5 more": {"abcdef", many},
	} {
		if got := suggest(c.word, c.candidates); got != want {
			t.Errorf("suggest(%q) = %q, want %q", c.word, got, want)
		}
	}
}
