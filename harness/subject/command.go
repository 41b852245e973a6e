package subject

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/failrate/failrate/harness/trial/process"
)

// The bounds of a set-up command.
const (
	maxLog    = 16 << 20
	patience  = time.Hour
	tailLines = 20
)

// CommandError is a set-up or compile command that failed.
type CommandError struct {
	Step    string // set-up or compile
	Command []string
	Why     string   // such as exit status 1
	Tail    []string // the last lines of its output, at most 20
}

// Error gives one line.
func (e *CommandError) Error() string {
	return fmt.Sprintf("%s command %q: %s", e.Step, strings.Join(e.Command, " "), e.Why)
}

// runAll runs commands in order until one fails.
func (p *Preparer) runAll(ctx context.Context, step string, commands [][]string, dir string, env []string) error {
	for _, command := range commands {
		if err := p.run(ctx, step, command, dir, env); err != nil {
			return err
		}
	}
	return nil
}

// run runs one command to its end, as a tree of processes that ends as a whole.
func (p *Preparer) run(ctx context.Context, step string, command []string, dir string, env []string) error {
	failed := func(why string, tail []string) error {
		return &CommandError{Step: step, Command: command, Why: why, Tail: tail}
	}
	path, err := lookUp(command[0], dir)
	if err != nil {
		return failed(err.Error(), nil)
	}
	file, err := os.CreateTemp(p.o.Session.Folder(), step+"-*.log")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	file.Close()
	log, err := process.NewLog(file.Name(), maxLog)
	if err != nil {
		return err
	}
	proc, err := p.o.Session.Start(process.Command{
		Path: path, Args: command, Dir: dir, Env: process.Environ(p.o.Env, append(env, "PWD="+dir)...), Log: log,
	})
	if err != nil {
		_, closeErr := log.Close()
		return errors.Join(failed(err.Error(), nil), closeErr)
	}
	exit, err := proc.Wait(ctx, process.Limits{Timeout: patience, Grace: 10 * time.Second, Stop: 2 * time.Second})
	if _, closeErr := log.Close(); closeErr != nil {
		err = errors.Join(err, closeErr)
	}
	if why := ended(exit, err); why != "" {
		text, _ := os.ReadFile(file.Name()) // without it the reason stands alone
		return failed(why, lastLines(text, tailLines))
	}
	return nil
}

// ended says why a command did not succeed; empty when it did.
func ended(x process.Exit, err error) string {
	switch {
	case err != nil:
		return err.Error()
	case x.Stopped:
		return "interrupted"
	case x.Limit:
		return fmt.Sprintf("not done after %s", patience)
	case x.Signal != "":
		return "ended by " + x.Signal
	case x.Status != 0:
		return fmt.Sprintf("exit status %d", x.Status)
	}
	return ""
}

// lookUp finds a command: a path relative to the tree, or a name in PATH.
func lookUp(name, dir string) (string, error) {
	if !strings.ContainsRune(name, filepath.Separator) {
		return exec.LookPath(name)
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	return exec.LookPath(name)
}

// lastLines gives the last n lines of an output, printable.
func lastLines(text []byte, n int) []string {
	lines := strings.Split(strings.TrimSpace(string(bytes.ToValidUTF8(text, []byte("\uFFFD")))), "\n")
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	for i, l := range lines {
		lines[i] = strings.Map(func(r rune) rune {
			if r < ' ' && r != '\t' || r == 0x7f {
				return '\uFFFD'
			}
			return r
		}, strings.TrimRight(l, "\r"))
		if len(lines[i]) > 500 {
			lines[i] = strings.ToValidUTF8(lines[i][:500], "") + "…"
		}
	}
	return lines
}
