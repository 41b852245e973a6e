package subject

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/failrate/failrate/harness/trial/process"
)

// command is one that prepares something.
type command struct {
	step string // clone, fetch, check out, patch, compile or set-up
	args []string
	dir  string
	env  []string // set in addition to Options.Env
	log  string   // file that its output is added to
}

// CommandError is a command that failed.
type CommandError struct {
	Step    string // clone, fetch, check out, patch, compile or set-up
	Command []string
	Why     string   // such as exit status 1
	Tail    []string // the last lines of its output without control characters, at most 20
	Log     string   // file with all of its output
}

// Error gives one line.
func (e *CommandError) Error() string {
	return fmt.Sprintf("%s command %q: %s", e.Step, clip(strings.Join(e.Command, " ")), e.Why)
}

// The bounds of a command.
const (
	maxOutput = 8 << 20 // bytes that are kept
	grace     = 10 * time.Second
	stopGrace = time.Second
)

// run runs a command to its end, and ends what it leaves: a build daemon that outlived the set-up would take part in
// the trials. Its output goes to the log.
func (p *Preparer) run(ctx context.Context, c command) error {
	failed := &CommandError{Step: c.step, Command: p.o.Mask.Strings(c.args), Log: c.log}
	env := process.Environ(p.inherited(), append([]string{"PWD=" + c.dir}, c.env...)...)
	path, err := process.LookUp(c.args[0], c.dir, env)
	if err != nil {
		failed.Why = err.Error()
		return failed
	}
	part := c.log + ".part"
	log, err := process.NewLog(part, maxOutput)
	if err != nil {
		return err
	}
	exit, err := p.wait(ctx, process.Command{Path: path, Args: c.args, Dir: c.dir, Env: env, Log: log})
	_, lost := log.Close()
	tail, unkept := p.appendLog(c, part, exit)
	if err = errors.Join(err, lost, unkept); err != nil {
		failed.Why = err.Error()
		return failed
	}
	if exit.Stopped {
		return fmt.Errorf("%s: %w", c.step, context.Cause(ctx))
	}
	if failed.Why = p.ended(exit); failed.Why == "" {
		return nil
	}
	failed.Tail = tail
	return failed
}

// inherited is the harness's environment but for what the subject unsets.
func (p *Preparer) inherited() (env []string) {
	for _, pair := range p.o.Env {
		if name, _, _ := strings.Cut(pair, "="); p.o.Study.Subject.Inherits(name) {
			env = append(env, pair)
		}
	}
	return env
}

func (p *Preparer) wait(ctx context.Context, c process.Command) (process.Exit, error) {
	running, err := p.o.Session.Start(c)
	if err != nil {
		return process.Exit{}, err
	}
	return running.Wait(ctx, process.Limits{Timeout: p.o.Timeout, Grace: grace, Stop: stopGrace})
}

// ended says why a command did not succeed; empty when it did.
func (p *Preparer) ended(exit process.Exit) string {
	switch {
	case exit.Limit:
		return fmt.Sprintf("not done after %v", p.o.Timeout)
	case exit.Signal != "":
		return "ended by " + exit.Signal
	case exit.Status != 0:
		return fmt.Sprintf("exit status %d", exit.Status)
	}
	return ""
}

// appendLog moves a command's output to the end of the log, below its name, and gives the last lines of it.
func (p *Preparer) appendLog(c command, part string, exit process.Exit) (tail []string, err error) {
	log, err := os.OpenFile(c.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	if _, err := fmt.Fprintf(log, "$ %s\n", p.o.Mask.String(strings.Join(c.args, " "))); err != nil {
		return nil, err
	}
	if err := p.o.Mask.File(part); err != nil {
		return nil, err
	}
	out, err := os.Open(part)
	if errors.Is(err, os.ErrNotExist) {
		out, err = os.Open(os.DevNull)
	}
	if err != nil {
		return nil, err
	}
	defer out.Close()
	size, err := io.Copy(log, out)
	if err != nil {
		return nil, err
	}
	for _, l := range exit.Leaked {
		if _, err := fmt.Fprintf(log, "(ended what it had left: %s)\n", l); err != nil {
			return nil, err
		}
	}
	const most = 16 << 10
	text := make([]byte, min(size, most))
	if _, err := out.ReadAt(text, size-int64(len(text))); err != nil {
		return nil, err
	}
	if err := os.Remove(part); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	return lastLines(string(text)), nil
}

// lastLines gives the last 20 lines of a text, each of bounded length and without what a terminal would act on.
func lastLines(text string) []string {
	const lines, width = 20, 300
	text = strings.TrimSpace(text)
	if text == "" {
		return nil
	}
	all := strings.Split(text, "\n")
	all = all[max(0, len(all)-lines):]
	for i, l := range all {
		l = strings.Map(func(r rune) rune {
			if r == '\t' {
				return ' '
			}
			if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
				return -1
			}
			return r
		}, strings.ToValidUTF8(l, "?"))
		if len(l) > width {
			l = strings.ToValidUTF8(l[:width], "") + "…"
		}
		all[i] = l
	}
	return all
}
