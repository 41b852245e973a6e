package study

import (
	"errors"
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Split cuts a command line into words as a POSIX shell does, for a command that no shell will run. What only a shell
// can do (pipes, redirections, variables, patterns) is an error that names the character.
func Split(line string) ([]string, error) {
	if at := strings.IndexAny(line, "\x00\r"); at >= 0 {
		return nil, fmt.Errorf("character %d: %U cannot stand in a command line", len([]rune(line[:at]))+1, line[at])
	}
	f, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(line), "")
	var bad syntax.ParseError
	switch {
	case errors.As(err, &bad):
		return nil, fmt.Errorf("character %d: %s", character(line, bad.Pos), bad.Text)
	case err != nil:
		return nil, err
	case len(f.Stmts) == 0:
		return nil, errors.New("no command in it")
	}
	if at, what := shellOnly(f); what != "" {
		return nil, fmt.Errorf("character %d: %s needs a shell", character(line, at), what)
	}
	var words []string
	for _, w := range f.Stmts[0].Cmd.(*syntax.CallExpr).Args {
		text, at, what := plain(w)
		if what != "" {
			return nil, fmt.Errorf("character %d: %s needs a shell", character(line, at), what)
		}
		words = append(words, text)
	}
	return words, nil
}

// character turns a position into a count of characters from 1.
func character(line string, at syntax.Pos) int {
	before := line[:min(int(at.Offset()), len(line))]
	return len([]rune(before)) + 1
}

// shellOnly finds what is more than one simple command.
func shellOnly(f *syntax.File) (at syntax.Pos, what string) {
	s := f.Stmts[0]
	call, simple := s.Cmd.(*syntax.CallExpr)
	switch {
	case len(s.Redirs) > 0:
		return s.Redirs[0].OpPos, fmt.Sprintf("the redirection %q", s.Redirs[0].Op)
	case s.Background:
		return s.Semicolon, `"&"`
	case s.Negated:
		return s.Pos(), `"!"`
	case len(f.Stmts) > 1 && s.Semicolon.IsValid():
		return s.Semicolon, `";"`
	case len(f.Stmts) > 1:
		return f.Stmts[1].Pos(), "a second command"
	case simple && len(call.Assigns) > 0:
		return call.Assigns[0].Pos(), "an assignment before the command"
	case !simple:
		if b, ok := s.Cmd.(*syntax.BinaryCmd); ok {
			return b.OpPos, fmt.Sprintf("%q", b.Op)
		}
		return s.Pos(), "a compound command"
	}
	return at, ""
}

// plain removes a word's quotes.
func plain(w *syntax.Word) (text string, at syntax.Pos, what string) {
	var b strings.Builder
	for i, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if i == 0 && strings.HasPrefix(p.Value, "~") {
				return "", p.Pos(), `"~"`
			}
			bare, c := unescape(p.Value, "")
			if c != 0 {
				return "", p.Pos(), fmt.Sprintf("the pattern character %q", c)
			}
			b.WriteString(bare)
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", p.Pos(), `"$'"`
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, inner := range p.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok {
					return "", inner.Pos(), expansion(inner)
				}
				quoted, _ := unescape(lit.Value, "$`\"\\")
				b.WriteString(quoted)
			}
		default:
			return "", p.Pos(), expansion(p)
		}
	}
	return b.String(), at, ""
}

// unescape removes the backslashes of a literal: before any character, or (in double quotes) only before the given ones.
// Outside of quotes it gives the first pattern character that no backslash protects.
func unescape(text, only string) (string, rune) {
	var b strings.Builder
	var pattern rune
	escaped := false
	for _, c := range text {
		switch {
		case escaped && only != "" && !strings.ContainsRune(only, c):
			b.WriteByte('\\')
			b.WriteRune(c)
			escaped = false
		case escaped:
			b.WriteRune(c)
			escaped = false
		case c == '\\':
			escaped = true
		default:
			if only == "" && pattern == 0 && strings.ContainsRune("*?[", c) {
				pattern = c
			}
			b.WriteRune(c)
		}
	}
	if escaped {
		b.WriteByte('\\')
	}
	return b.String(), pattern
}

func expansion(p syntax.WordPart) string {
	switch p.(type) {
	case *syntax.ParamExp:
		return `"$"`
	case *syntax.CmdSubst:
		return "a command substitution"
	case *syntax.ArithmExp:
		return "arithmetic"
	}
	return "an expansion"
}
