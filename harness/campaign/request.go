package campaign

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/failrate/failrate/harness/plan"
	"github.com/failrate/failrate/harness/steps"
	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
)

// forms keeps what the requests of a cell have in common, by the cell's index in the plan. Working it out takes as long as
// a tenth of a short trial.
type forms struct {
	mu   sync.Mutex
	made map[int]trial.Request
}

// request says how one attempt of a trial is run: its cell's form, and the trial's own place in the campaign.
func (r *runner) request(t plan.Trial, attempt int) (trial.Request, error) {
	r.forms.mu.Lock()
	form, ok := r.forms.made[t.Index]
	r.forms.mu.Unlock()
	if !ok {
		var err error
		if form, err = r.cfg.form(t.Cell); err != nil {
			return trial.Request{}, err
		}
		r.forms.mu.Lock()
		r.forms.made[t.Index] = form
		r.forms.mu.Unlock()
	}
	form.ID = plan.AttemptID(t.ID, attempt)
	form.Services = withSeed(form.Services, t.Seed)
	form.Env = slices.Concat(form.Env, []string{"FAILRATE_SEED=" + strconv.FormatUint(t.Seed, 10), "FAILRATE_TRIAL=" + t.ID})
	return form, nil
}

// form is the subject with the variant's change and the cell's parameters.
func (c Config) form(cell plan.Cell) (trial.Request, error) {
	v, _ := c.Study.Find(cell.Variant)
	sub := c.Study.Subject
	level, err := c.Study.Level(cell.Stress)
	if err != nil {
		return trial.Request{}, err
	}
	command, script, err := c.command(cell, v)
	if err != nil {
		return trial.Request{}, err
	}
	return trial.Request{
		Variant: cell.Variant, Command: command, Shell: sub.Shell, Services: c.services(cell),
		Env: slices.Concat(c.env(cell), script), Timeout: sub.Timeout, Grace: sub.Grace, MaxOutput: sub.MaxOutput,
		Quota: level.Quota, Burst: level.Burst, Results: sub.Results.Files,
	}, nil
}

// command is what runs, with the variant's change and the cell's parameters; or what runs the subject's steps, and the
// environment that carries them there.
func (c Config) command(cell plan.Cell, v study.Variant) (command, script []string, err error) {
	sub := c.Study.Subject
	if len(sub.Steps) == 0 {
		command = sub.Command
		if len(v.Command) > 0 {
			command = v.Command
		}
		return fillAll(c.places(cell.Parameters), command, v.Args, sub.Shell), nil, nil
	}
	text, err := steps.Script{Steps: sub.Steps}.Encode()
	if err != nil {
		return nil, nil, err
	}
	if len(c.Steps[cell.Platform]) == 0 {
		return nil, nil, fmt.Errorf("nothing runs steps on the platform %s", cell.Platform)
	}
	return c.Steps[cell.Platform], []string{steps.Variable + "=" + text}, nil
}

// env is a cell's environment: inherited but for what the subject unsets, the subject's, the variant's, then the cell's
// own. The names that each trial sets anew are left out.
func (c Config) env(cell plan.Cell) []string {
	v, _ := c.Study.Find(cell.Variant)
	fill := filler(c.places(cell.Parameters), false)
	values := c.inherited(cell)
	for name, value := range c.Study.Subject.Env {
		values[name] = fill.Replace(value)
	}
	for name, value := range v.Env {
		values[name] = fill.Replace(value)
	}
	for _, p := range cell.Parameters {
		values[study.Parameter{Name: p.Name}.EnvName()] = p.Value
	}
	values["FAILRATE_VARIANT"] = cell.Variant
	values["FAILRATE_PLATFORM"] = string(cell.Platform)
	values["FAILRATE_STRESS"] = cell.Stress
	delete(values, "FAILRATE_SEED")
	delete(values, "FAILRATE_TRIAL")
	delete(values, steps.Variable)
	out := make([]string, 0, len(values))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		out = append(out, name+"="+values[name])
	}
	return out
}

// inherited is what the platform's trials and services inherit.
func (c Config) inherited(cell plan.Cell) map[string]string {
	values := map[string]string{}
	for _, pair := range c.BaseEnv[cell.Platform] {
		if name, value, _ := strings.Cut(pair, "="); c.Study.Subject.Inherits(name) {
			values[name] = value
		}
	}
	return values
}

// filler replaces {name} by the parameter's value, quoted for a shell when asked. A place needs no quotes: what comes to
// stand there is the address of a service.
func filler(settings []plan.Setting, quoted bool) *strings.Replacer {
	var pairs []string
	for _, s := range settings {
		value := s.Value
		if quoted && value != trial.Place(s.Name) {
			value = quote(value)
		}
		pairs = append(pairs, "{"+s.Name+"}", value)
	}
	return strings.NewReplacer(pairs...)
}

// fillAll fills the parameters into the command and appends the variant's arguments. A shell takes one text: values
// and arguments are quoted in it, so that none becomes a command.
func fillAll(settings []plan.Setting, command, args []string, shell bool) []string {
	fill := filler(settings, false)
	if !shell {
		out := make([]string, 0, len(command)+len(args))
		for _, word := range slices.Concat(command, args) {
			out = append(out, fill.Replace(word))
		}
		return out
	}
	text := filler(settings, true).Replace(command[0])
	for _, a := range args {
		text += " " + quote(fill.Replace(a))
	}
	return []string{text}
}

func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
