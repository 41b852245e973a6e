package main

import (
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/term"
)

// The terminal's rules. stdout is the product: tables, JSON, lists; nothing else ever goes there. stderr is the
// conversation: progress, warnings, errors. Colour and live lines appear only on a terminal, and never when NO_COLOR is
// set or TERM is dumb.

// streams are the process's surroundings, replaced in tests.
type streams struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer
}

func systemStreams() streams { return streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr} }

// app is what every verb needs.
type app struct {
	streams
	env []string
}

const (
	red   = "\x1b[31m"
	cyan  = "\x1b[36m"
	dim   = "\x1b[2m"
	reset = "\x1b[0m"
)

// getenv reads the app's environment.
func (a *app) getenv(name string) string {
	for _, pair := range slices.Backward(a.env) {
		if n, v, ok := strings.Cut(pair, "="); ok && n == name {
			return v
		}
	}
	return ""
}

// terminal gives the width of the terminal behind w, and whether there is one.
func terminal(w io.Writer) (width int, ok bool) {
	f, is := w.(*os.File)
	if !is || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width < 1 {
		width = 80
	}
	return width, true
}

// colour reports whether w may be painted.
func (a *app) colour(w io.Writer) bool {
	_, tty := terminal(w)
	return tty && a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb"
}

func (a *app) paint(w io.Writer, colour, text string) string {
	if !a.colour(w) {
		return text
	}
	return colour + text + reset
}
