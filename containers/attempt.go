package containers

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/failrate/failrate/containers/agent"
	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
)

// attempt is one request on its way, and where its output goes.
type attempt struct {
	request trial.Request
	limits  study.Limits
	maximum int64 // bytes of files
	log     *trial.Capture
	stdout  *trial.Capture // nil when not wanted
	files   *intake        // nil until the first file comes
}

// newAttempt clears the way for the attempt's files and opens its logs. After it, finish must be called.
func newAttempt(r trial.Request, l study.Limits, maximum int64) (*attempt, error) {
	if len(r.Command) == 0 {
		return nil, errors.New("the command is empty")
	}
	for _, stale := range []string{r.Out.Records, r.Out.Burst, r.Out.Artifacts} { // of an attempt that bore the same id and was lost
		if stale == "" {
			continue
		}
		if err := os.RemoveAll(stale); err != nil {
			return nil, fmt.Errorf("clear the way for %s: %w", stale, err)
		}
	}
	a := &attempt{request: r, limits: l, maximum: maximum}
	var err error
	if a.log, err = trial.NewCapture(r.Out.Log, r.MaxOutput); err != nil {
		return nil, err
	}
	if r.Out.Stdout != "" {
		if a.stdout, err = trial.NewCapture(r.Out.Stdout, r.MaxOutput); err != nil {
			_, closed := a.log.Close()
			return nil, errors.Join(err, closed)
		}
	}
	return a, nil
}

// run has the agent carry out the attempt. last means that the container is not needed after it.
func (a *attempt) run(ctx context.Context, l *link, last bool) (agent.Result, error) {
	r := a.request
	patterns, err := expandBraces(r.Results)
	if err != nil {
		return agent.Result{}, err
	}
	run := agent.Run{
		Argv: r.Command, Shell: r.Shell, Env: r.Env, Dir: agent.Tree, Timeout: r.Timeout, Grace: r.Grace,
		Split: a.stdout != nil, Results: patterns, Files: a.maximum, Burst: r.Burst, CPU: a.limits.CPUs > 0, Last: last,
		Records: r.Out.Records != "", Artifacts: r.Out.Artifacts != "",
	}
	if run.Grace <= 0 {
		run.Grace = trial.DefaultGrace
	}
	if r.Inside != nil {
		run.Load = r.Inside.Args
	}
	return l.talk(ctx, run, a.hear)
}

// hear takes one frame of the agent's.
func (a *attempt) hear(kind byte, payload []byte) error {
	switch kind {
	case agent.KindOutput:
		if _, err := a.log.Write(payload); err != nil {
			return err // nothing can be kept, so whatever the subject goes on to do is of no use
		}
		if a.stdout != nil {
			_, err := a.stdout.Write(payload)
			return err
		}
	case agent.KindError:
		_, err := a.log.Write(payload)
		return err
	case agent.KindBurst:
		return a.burst(string(payload))
	case agent.KindFiles:
		if a.files == nil {
			a.files = newIntake(a.request, a.maximum)
		}
		return a.files.write(payload)
	}
	return nil
}

// burst does to the host's burst file what the subject did to its own.
func (a *attempt) burst(what string) error {
	path := a.request.Out.Burst
	if path == "" {
		return nil
	}
	if what == agent.BurstRemoved {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("pass the burst on: %w", err)
	}
	now := time.Now()
	return errors.Join(os.Chtimes(path, now, now), f.Close())
}

// finish closes what is open and fills in the observation.
func (a *attempt) finish(res agent.Result, o *trial.Observation) error {
	var errs []error
	if res.Fault != "" {
		errs = append(errs, errors.New(res.Fault))
	}
	captured, err := a.log.Close()
	errs = append(errs, err)
	o.Output = captured
	if a.stdout != nil {
		_, err := a.stdout.Close()
		errs = append(errs, err)
	}
	if a.files != nil {
		names, err := a.files.close()
		o.Results = names
		errs = append(errs, err)
	}
	if res.Seq > 0 {
		a.observe(res, o)
	}
	return errors.Join(errs...)
}

func (a *attempt) observe(res agent.Result, o *trial.Observation) {
	o.Wall, o.Exit, o.Signal = res.Wall, res.Exit, res.Signal
	o.Limit, o.Stopped, o.OOM = res.Limit, res.Stopped, res.OOM
	o.User, o.System, o.MaxRSS, o.Leaked = res.User, res.System, res.MaxRSS, res.Leaked
	if res.Periods == nil && a.request.Inside == nil {
		return
	}
	o.Load = &trial.Load{Periods: res.Periods, Throttled: res.Throttled}
	if a.request.Inside != nil && res.Wall > 0 {
		cores := res.Load.Seconds() / res.Wall.Seconds()
		o.Load.Cores = &cores
	}
}
