package steps

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"
)

// Runner runs scripts. Every field is needed.
type Runner struct {
	Env func(name string) (value string, ok bool)
	Dir string    // the subject's tree
	Log io.Writer // for a person who follows the trial
	Now func() time.Time
}

// run is one script that runs.
type run struct {
	names
	logger
	ctx    context.Context
	client *http.Client
	dir    string
	record Record
}

// Run runs a script to its end, and gives what it has to report. When ctx ends, it ends at once, with an error.
func (r Runner) Run(ctx context.Context, s Script) (Record, error) {
	x := &run{
		names:  names{env: r.Env, now: r.Now, saved: map[string]string{}, lost: map[string]bool{}},
		logger: logger{to: r.Log, clock: r.Now, begin: r.Now()},
		ctx:    ctx, client: newClient(), dir: r.Dir,
		record: Record{Outcome: Passed, Metrics: map[string]float64{}},
	}
	variant, _ := r.Env("FAILRATE_VARIANT")
	for i, step := range s.Steps {
		x.step("step %d of %d: %s", i+1, len(s.Steps), step)
		if !step.runs(variant) {
			x.line("left out, as it is not for %s", excerpt([]byte(variant), maxShown))
			continue
		}
		if missing := x.missing(step.After); missing != "" {
			x.line("left out, as %s did not succeed", missing)
			continue
		}
		if i := slices.IndexFunc(step.Unless, x.succeeded); i >= 0 {
			x.line("left out, as %s succeeded", step.Unless[i])
			continue
		}
		f := x.do(step)
		if ctx.Err() != nil {
			return Record{}, context.Cause(ctx)
		}
		if f == nil {
			if step.Name != "" {
				x.record.Evidence = append(x.record.Evidence, step.Name)
			}
			continue
		}
		if step.Optional && !f.broken {
			x.line("not so, which is no failure: %s", f.why)
			x.lose(step)
			continue
		}
		if x.failed(step, f); f.broken || !step.GoOn {
			break
		}
	}
	x.line("%s", x.record.Outcome)
	return x.record, nil
}

// failed notes that a step failed. The first one is what became of the trial: what had failed by then has failed, whatever
// breaks after it.
func (x *run) failed(s Step, f *failure) {
	x.line("%s: %s", f.kind(), f.why)
	x.lose(s)
	if x.record.Outcome != Passed {
		return
	}
	class, err := x.class(s, f)
	if err != nil {
		f = &failure{why: "classes: " + err.Error(), broken: true}
		x.line("%s: %s", f.kind(), f.why)
	}
	x.record.Outcome, x.record.Class = Failed, class
	if f.broken {
		x.record.Outcome, x.record.Class = Broken, ""
	}
	x.record.Message = excerpt([]byte(s.label()+f.why), maxMessage)
}

// lose notes the values that a step would have saved: a step that needs one of them has failed, and is not broken.
func (x *run) lose(s Step) {
	for name := range s.Save {
		if _, saved := x.saved[name]; !saved {
			x.lost[name] = true
		}
	}
}

// missing gives the first of these steps that has not succeeded.
func (x *run) missing(names []string) string {
	for _, name := range names {
		if !x.succeeded(name) {
			return name
		}
	}
	return ""
}

func (x *run) succeeded(name string) bool { return slices.Contains(x.record.Evidence, name) }

// do does what a step says; nil means that it succeeded.
func (x *run) do(s Step) *failure {
	switch {
	case s.Method != "":
		return x.ask(s)
	case s.Wait != "":
		return x.wait(s.Wait)
	case s.Action != "":
		return x.act(s)
	case len(s.Same) > 0:
		return x.compare(s.Same, true)
	case len(s.Differ) > 0:
		return x.compare(s.Differ, false)
	}
	return &failure{why: "the step does not say what it does", broken: true}
}

func (x *run) wait(text string) *failure {
	filled, err := x.fill(text)
	if err != nil {
		return unclear(err)
	}
	d, err := time.ParseDuration(filled)
	if err != nil || d < 0 {
		return &failure{why: fmt.Sprintf("%s is not a duration", excerpt([]byte(filled), maxShown)), broken: true}
	}
	x.sleep(d)
	x.line("waited %s", d)
	return nil
}

// sleep reports whether it slept to the end.
func (x *run) sleep(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-x.ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

func (x *run) compare(texts []string, same bool) *failure {
	first := map[string]string{} // value → the text that had it
	for i, text := range texts {
		value, err := x.fill(text)
		if err != nil {
			return unclear(err)
		}
		shown := excerpt([]byte(value), maxShown)
		other, seen := first[value]
		switch {
		case same && i > 0 && !seen:
			return &failure{why: fmt.Sprintf("%s is %s, which is not what %s is", text, shown, texts[0])}
		case !same && seen:
			return &failure{why: fmt.Sprintf("%s and %s are both %s", other, text, shown)}
		}
		x.line("%s is %s", text, shown)
		first[value] = text
	}
	return nil
}

// act has an action done to every service in turn. One that was not done is the harness's fault, unless the step says
// what class of failure it is, such as a service that does not start again.
func (x *run) act(s Step) *failure {
	address, ok := x.env(ControlVariable)
	if !ok {
		return &failure{why: ControlVariable + " does not say who carries out actions", broken: true}
	}
	c, err := newControl(address)
	if err != nil {
		return unclear(err)
	}
	for _, service := range s.Services {
		begin := x.now()
		if err := c.do(x.ctx, s.Action, service); err != nil {
			return &failure{why: fmt.Sprintf("%s %s: %v", s.Action, service, err), broken: s.Class == "" || !errors.Is(err, errNotDone)}
		}
		x.line("%s %s: done in %s", s.Action, service, shown(x.now().Sub(begin)))
	}
	return nil
}
