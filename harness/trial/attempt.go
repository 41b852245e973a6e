package trial

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/failrate/failrate/harness/trial/process"
	"github.com/failrate/failrate/harness/trial/tree"
)

// attempt is one native execution: where it runs and what was there before.
type attempt struct {
	request Request
	dir     string // the tree
	scratch *scratch
	copier  *tree.Copier
	before  snapshot
}

// prepare clears the way for the attempt's files, and notes which result files are there already.
func (a *attempt) prepare() (err error) {
	out := a.request.Out
	for _, stale := range []string{out.Records, out.Artifacts, out.Burst} { // of an attempt that bore the same id and was lost
		if stale == "" {
			continue
		}
		if err := tree.RemoveAll(stale); err != nil {
			return fmt.Errorf("clear the way for %s: %w", stale, err)
		}
	}
	if a.request.Results != "" {
		a.before, err = takeSnapshot(a.dir, a.request.Results)
	}
	return err
}

// run executes the subject and collects what it left.
func (a *attempt) run(ctx context.Context, s *process.Session, o *Observation) error {
	return errors.Join(a.capture(ctx, s, o), a.collect(ctx, o))
}

// capture executes the subject with its output going to the attempt's files.
func (a *attempt) capture(ctx context.Context, s *process.Session, o *Observation) error {
	c, err := a.command()
	if err != nil {
		return err
	}
	log, err := NewCapture(a.request.Out.Log, a.request.MaxOutput)
	if err != nil {
		return err
	}
	c.Log = log.log
	if a.request.Out.Stdout == "" {
		err = a.observe(ctx, s, c, o)
	} else {
		err = a.captureStdout(ctx, s, c, o)
	}
	var lost error
	o.Output, lost = log.Close()
	return errors.Join(err, lost)
}

// captureStdout keeps stdout in a file of its own as well.
func (a *attempt) captureStdout(ctx context.Context, s *process.Session, c process.Command, o *Observation) error {
	stdout, err := NewCapture(a.request.Out.Stdout, a.request.MaxOutput)
	if err != nil {
		return err
	}
	c.Stdout = stdout.log
	err = a.observe(ctx, s, c, o)
	_, lost := stdout.Close()
	return errors.Join(err, lost)
}

// observe starts the process and waits for it.
func (a *attempt) observe(ctx context.Context, s *process.Session, c process.Command, o *Observation) error {
	p, err := s.Start(c)
	if err != nil {
		return err
	}
	grace := a.request.Grace
	if grace <= 0 {
		grace = DefaultGrace
	}
	exit, err := p.Wait(ctx, process.Limits{
		Timeout: a.request.Timeout, Grace: grace, Stop: min(grace, StopGrace), AtOnce: ErrKillNow,
	})
	o.Wall, o.Exit, o.Signal = exit.Wall, exit.Status, exit.Signal
	o.Limit, o.Stopped, o.Leaked = exit.Limit, exit.Stopped, exit.Leaked
	o.User, o.System, o.MaxRSS = exit.User, exit.System, exit.MaxRSS
	return err
}

// collect takes what the subject left. What is not as it should be is a fault, as the judgement would rest on it.
func (a *attempt) collect(ctx context.Context, o *Observation) error {
	out := a.request.Out
	errs := []error{
		plainFile("$FAILRATE_RECORDS", out.Records), plainFile("$FAILRATE_BURST", out.Burst),
		a.scratch.keepArtifacts(ctx, a.copier, out.Artifacts),
	}
	if a.request.Results != "" {
		names, err := collectResults(a.dir, a.before, a.request.Results, out.Results)
		o.Results = names
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// command fills in what the attempt adds to the request's command and environment.
func (a *attempt) command() (process.Command, error) {
	r := a.request
	if len(r.Command) == 0 {
		return process.Command{}, errors.New("the command is empty")
	}
	out := r.Out
	set := []string{"PWD=" + a.dir, "TMPDIR=" + a.scratch.temp(), "FAILRATE_ARTIFACTS=" + a.scratch.artifacts()}
	for _, v := range [][2]string{{"FAILRATE_RECORDS", out.Records}, {"FAILRATE_BURST", out.Burst}} {
		if v[1] != "" {
			set = append(set, v[0]+"="+v[1])
		}
	}
	c := process.Command{Args: r.Command, Dir: a.dir, Env: process.Environ(r.Env, set...)}
	if r.Shell {
		c.Path = "/bin/sh"
		c.Args = append([]string{"sh", "-c", r.Command[0], "sh"}, r.Command[1:]...)
		return c, nil
	}
	path, err := process.LookUp(r.Command[0], a.dir, r.Env)
	c.Path = path
	return c, err
}

// OneLine keeps a fault on one line of bounded length.
func OneLine(text string) string {
	text = strings.ToValidUTF8(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }), "; "), "?")
	const most = 2000
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
