package containers

import (
	"errors"
	"strings"
)

// maxPatterns bounds what a glob's alternatives may come to.
const maxPatterns = 100

// expandBraces turns a glob with alternatives into globs without: a{b,c{d,e}} gives ab, acd and ace. The agent in the
// container chooses by these, and trial.Collector chooses again here, so these may mean more files but not fewer.
func expandBraces(glob string) ([]string, error) {
	todo, out := []string{glob}, []string(nil)
	for len(todo) > 0 {
		g := todo[0]
		todo = todo[1:]
		if g == "" {
			continue
		}
		head, choices, tail, found := firstBraces(g)
		if !found {
			out = append(out, strings.ReplaceAll(g, "[!", "[^"))
		}
		for _, c := range choices {
			todo = append(todo, head+c+tail)
		}
		if len(todo)+len(out) > maxPatterns {
			return nil, errors.New("result files: the glob has too many alternatives")
		}
	}
	return out, nil
}

// firstBraces finds the first pair of braces that is neither escaped nor inside a class, and its alternatives.
func firstBraces(g string) (head string, choices []string, tail string, found bool) {
	depth, start, class := 0, 0, false
	var from int
	for i := 0; i < len(g); i++ {
		switch c := g[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '{':
			if depth++; depth == 1 {
				start, from = i, i+1
			}
		case c == ',' && depth == 1:
			choices, from = append(choices, g[from:i]), i+1
		case c == '}' && depth > 0:
			if depth--; depth == 0 {
				return g[:start], append(choices, g[from:i]), g[i+1:], true
			}
		}
	}
	return "", nil, "", false
}
