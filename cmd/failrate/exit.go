package main

import (
	"errors"
	"fmt"
	"strings"
)

// The exit statuses. README and every help text name them.
const (
	exitComplete    = 0
	exitUnexpected  = 1
	exitUsage       = 2
	exitStudy       = 3
	exitIncomplete  = 4
	exitJournal     = 5
	exitClaim       = 6
	exitControl     = 7
	exitInterrupted = 130
)

const exitHelp = `Exit statuses:
  0  complete, whatever the rates
  1  unexpected error
  2  usage: a flag, an argument or a missing requirement
  3  the study is not valid
  4  incomplete; --resume goes on
  5  the journal was refused
  6  a claim of --assert is not met
  7  a control failed: the numbers are not to be trusted
  130  interrupted; --resume goes on`

// exitError is an error with the exit status it stands for and, perhaps, the next step.
type exitError struct {
	status int
	err    error
	hint   string
	silent bool // everything has been said already
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// fail makes an exitError from a message.
func fail(status int, hint, format string, args ...any) error {
	return &exitError{status: status, err: fmt.Errorf(format, args...), hint: hint}
}

// wrap gives an error its exit status; nil stays nil.
func wrap(status int, err error) error {
	if err == nil {
		return nil
	}
	return &exitError{status: status, err: err}
}

// status says the error once, on stderr, and gives the exit status.
func (a *app) status(err error) int {
	if err == nil {
		return exitComplete
	}
	var e *exitError
	if !errors.As(err, &e) {
		e = &exitError{status: exitUsage, err: err, hint: "failrate --help lists the commands"}
	}
	if !e.silent {
		fmt.Fprintf(a.Err, "%s %s\n", a.paint(a.Err, red, "error:"), strings.TrimRight(e.err.Error(), "\n"))
	}
	if e.hint != "" {
		fmt.Fprintf(a.Err, "%s %s\n", a.paint(a.Err, cyan, "hint:"), e.hint)
	}
	return e.status
}
