package classify

import (
	"bytes"
	"errors"
	"iter"
	"regexp"
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

var errTextAnchor = errors.New(`\A and \z cannot be used, since output is searched in pieces; use ^ and $, which match at the ends of a line`)

// pattern is an RE2 expression with the texts of which every match contains at least one. Looking for those first
// spares most of the output the slow look.
type pattern struct {
	re     *regexp.Regexp
	need   [][]byte // nil means not known
	inLine bool     // no match holds a newline
}

// compilePattern compiles an expression in line mode; an empty one gives nil.
func compilePattern(expr string) (*pattern, error) {
	if expr == "" {
		return nil, nil
	}
	re, err := regexp.Compile("(?m)" + expr)
	if err != nil {
		return nil, err
	}
	tree, err := syntax.Parse("(?m)"+expr, syntax.Perl)
	if err != nil {
		return nil, err
	}
	if hasTextAnchor(tree) {
		return nil, errTextAnchor
	}
	p := &pattern{re: re, inLine: !matchesNewline(tree)}
	for _, s := range required(tree) {
		p.need = append(p.need, []byte(s))
	}
	return p, nil
}

// find gives the bounds of the leftmost match, or nil.
func (p *pattern) find(b []byte) []int {
	for at, piece := range p.candidates(b) {
		if loc := p.re.FindIndex(piece); loc != nil {
			return []int{at + loc[0], at + loc[1]}
		}
	}
	return nil
}

// lastEnd gives the end of the last match, or -1.
func (p *pattern) lastEnd(b []byte) int {
	end := -1
	for at, piece := range p.candidates(b) {
		for from := 0; ; {
			locs := p.re.FindAllIndex(piece[from:], 4096) // bounds the memory that the list takes
			if len(locs) == 0 {
				break
			}
			last := from + locs[len(locs)-1][1]
			end = at + last
			if len(locs) < 4096 || last == from {
				break
			}
			from = last
		}
	}
	return end
}

// candidates gives the pieces of b that can hold matches, and where they begin: all of b when that is not known, else
// the lines with a needed text, or all of b when a match may span lines.
func (p *pattern) candidates(b []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		next := make([]int, len(p.need)) // where each needed text comes next, at or after at
		for i, n := range p.need {
			next[i] = index(b, n, 0)
		}
		if p.need == nil || !p.inLine {
			if p.need == nil || slices.Min(next) < len(b) {
				yield(0, b)
			}
			return
		}
		for at := 0; ; {
			for i, n := range p.need {
				if next[i] < at {
					next[i] = index(b, n, at)
				}
			}
			hit := slices.Min(next)
			if hit == len(b) {
				return
			}
			start, end := bytes.LastIndexByte(b[at:hit], '\n')+1+at, hit+index(b[hit:], []byte{'\n'}, 0)
			if !yield(start, b[start:end]) || end == len(b) {
				return
			}
			at = end + 1
		}
	}
}

// index gives where text comes in b at or after from; len(b) when it does not.
func index(b, text []byte, from int) int {
	if i := bytes.Index(b[from:], text); i >= 0 {
		return from + i
	}
	return len(b)
}

// matchesNewline reports whether a match may hold a newline.
func matchesNewline(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpAnyChar:
		return true
	case syntax.OpLiteral:
		return slices.Contains(re.Rune, '\n')
	case syntax.OpCharClass:
		for i := 0; i+1 < len(re.Rune); i += 2 {
			if re.Rune[i] <= '\n' && '\n' <= re.Rune[i+1] {
				return true
			}
		}
	}
	return slices.ContainsFunc(re.Sub, matchesNewline)
}

func hasTextAnchor(re *syntax.Regexp) bool {
	return re.Op == syntax.OpBeginText || re.Op == syntax.OpEndText || slices.ContainsFunc(re.Sub, hasTextAnchor)
}

// maxRequired bounds the alternatives looked for: with more, the expression itself is not slower.
const maxRequired = 16

// required gives texts of which every match of re contains at least one; nil when there are none to rely on.
func required(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			if !utf8.ValidRune(r) || r == utf8.RuneError { // the expression would match an invalid byte, the text would not
				return nil
			}
		}
		if re.Flags&syntax.FoldCase == 0 && len(re.Rune) > 1 {
			return []string{string(re.Rune)}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []string
		for _, sub := range re.Sub {
			if got := required(sub); shortest(got) > shortest(best) {
				best = got
			}
		}
		return best
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			got := required(sub)
			if got == nil || len(all)+len(got) > maxRequired {
				return nil
			}
			all = append(all, got...)
		}
		return all
	}
	return nil
}

// shortest gives the length of the shortest text, 0 for none: the longer it is, the rarer a false hit.
func shortest(texts []string) int {
	n := 0
	for i, t := range texts {
		if i == 0 || len(t) < n {
			n = len(t)
		}
	}
	return n
}
