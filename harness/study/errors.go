package study

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Error is one thing that is wrong with a study, and where.
type Error struct {
	File    string // as the caller named it, or the flag of an inline study
	Line    int    // from 1; 0 means the file as a whole
	Col     int    // from 1, in characters
	Message string
	Hint    string // the next step; empty when there is nothing to say
}

// Error gives file:line:col: message, and the hint on a line of its own.
func (e Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", e.Line, e.Col)
	}
	fmt.Fprintf(&b, ": %s", e.Message)
	if e.Hint != "" {
		fmt.Fprintf(&b, "\nhint: %s", e.Hint)
	}
	return b.String()
}

// Errors is everything that is wrong with a study, in the order of the file. It is never empty when it is returned.
type Errors []Error

// Error gives all of them, one after another.
func (e Errors) Error() string {
	lines := make([]string, 0, len(e))
	for _, one := range e {
		lines = append(lines, one.Error())
	}
	return strings.Join(lines, "\n")
}

// maxErrors bounds what one bad file can print.
const maxErrors = 50

// sorted orders the errors by position, drops repeats and says how many it left out.
func (e Errors) sorted() Errors {
	slices.SortStableFunc(e, func(a, b Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col), cmp.Compare(a.Message, b.Message))
	})
	e = slices.Compact(e)
	if len(e) > maxErrors {
		more := len(e) - maxErrors
		e = append(e[:maxErrors:maxErrors], Error{File: e[0].File, Message: fmt.Sprintf("%d more errors are not shown", more)})
	}
	return e
}

// clip quotes foreign text for a message and bounds its length.
func clip(text string) string {
	const most = 80
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "…"
	}
	return fmt.Sprintf("%q", text)
}
