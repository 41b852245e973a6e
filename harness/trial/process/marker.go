package process

import (
	"fmt"
	"strings"
)

// within takes from a marker's value what this harness was itself started with. Empty means that the process is not
// below any tree of this harness (as far as its environment tells).
func (s *Session) within(value string) string {
	if s.outer == "" {
		return value
	}
	rest, ok := strings.CutPrefix(value, s.outer)
	if !ok {
		return value
	}
	return strings.TrimPrefix(rest, "/")
}

// own is the tree's own part of its marker.
func (p *Process) own() string { return p.marker[strings.LastIndexByte(p.marker, '/')+1:] }

// has reports whether a marker's value has the part between its slashes.
func has(value, part string) bool {
	for v := range strings.SplitSeq(value, "/") {
		if v == part {
			return true
		}
	}
	return false
}

// ofSession reports whether a marker's value has a part of the session.
func ofSession(value, id string) bool {
	for v := range strings.SplitSeq(value, "/") {
		if before, _, ok := strings.Cut(v, "."); ok && before == id {
			return true
		}
	}
	return false
}

// String is the entry as "name (pid)". The name is the process's own choice, so what is not plain text is replaced.
func (e entry) String() string {
	name := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, e.name)
	return fmt.Sprintf("%s (%d)", name, e.pid)
}

func describe(list []entry) string {
	if len(list) == 0 {
		return "none"
	}
	return list[0].String()
}
