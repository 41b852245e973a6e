package campaign

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/failrate/failrate/harness/plan"
	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
)

// request says how one attempt of a trial is run: the subject with the variant's change and the cell's parameters.
func (c Config) request(t plan.Trial, attempt int) (trial.Request, error) {
	v, _ := c.Study.Find(t.Cell.Variant)
	sub := c.Study.Subject
	level, err := c.Study.Level(t.Cell.Stress)
	if err != nil {
		return trial.Request{}, err
	}
	command := sub.Command
	if len(v.Command) > 0 {
		command = v.Command
	}
	fill := filler(t.Cell.Parameters, false)
	r := trial.Request{
		ID: plan.AttemptID(t.ID, attempt), Variant: t.Cell.Variant,
		Command: fillAll(t.Cell.Parameters, command, v.Args, sub.Shell), Shell: sub.Shell,
		Timeout: sub.Timeout, Grace: sub.Grace, MaxOutput: sub.MaxOutput,
		Quota: level.Quota, Burst: level.Burst, Results: sub.Results.Files,
	}
	r.Env = c.env(t, fill)
	return r, nil
}

// env is the trial's environment: inherited, the subject's, the variant's, then the trial's place in the campaign.
func (c Config) env(t plan.Trial, fill *strings.Replacer) []string {
	v, _ := c.Study.Find(t.Cell.Variant)
	values := map[string]string{}
	for _, pair := range c.BaseEnv[t.Cell.Platform] {
		name, value, _ := strings.Cut(pair, "=")
		values[name] = value
	}
	for name, value := range c.Study.Subject.Env {
		values[name] = fill.Replace(value)
	}
	for name, value := range v.Env {
		values[name] = fill.Replace(value)
	}
	for _, p := range t.Cell.Parameters {
		values[study.Parameter{Name: p.Name}.EnvName()] = p.Value
	}
	values["FAILRATE_TRIAL"] = t.ID
	values["FAILRATE_VARIANT"] = t.Cell.Variant
	values["FAILRATE_SEED"] = strconv.FormatUint(t.Seed, 10)
	values["FAILRATE_PLATFORM"] = string(t.Cell.Platform)
	values["FAILRATE_STRESS"] = t.Cell.Stress
	out := make([]string, 0, len(values))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		out = append(out, name+"="+values[name])
	}
	return out
}

// filler replaces {name} by the parameter's value, quoted for a shell when asked.
func filler(settings []plan.Setting, quoted bool) *strings.Replacer {
	var pairs []string
	for _, s := range settings {
		value := s.Value
		if quoted {
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
