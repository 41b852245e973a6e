package campaign

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/failrate/failrate/harness/plan"
	"github.com/failrate/failrate/harness/steps"
	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
)

func requestOf(t *testing.T, shell bool, value string) trial.Request {
	t.Helper()
	s := &study.Study{
		Name: "s", Baseline: "a", Iterations: 1, Platforms: []study.Platform{study.Native},
		Variants:   []study.Variant{{Name: "a", Args: []string{"--x", "it's {delay}"}, Env: map[string]string{"WAIT": "{delay}", "SHARED": "variant"}}},
		Stress:     []study.Stress{{Name: "half", Quota: 0.5}},
		Parameters: []study.Parameter{{Name: "delay", Values: []string{value}}},
		Subject:    study.Subject{Command: []string{"run", "--delay={delay}"}, Env: map[string]string{"SHARED": "subject", "CI_KEPT": "subject"}, Unset: []string{"CI*", "GONE"}, Timeout: time.Second, Shell: shell},
	}
	if shell {
		s.Subject.Command = []string{"run {delay} && true"}
	}
	p, err := plan.New(s, "", plan.Selection{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Study: s, Plan: p, BaseEnv: map[study.Platform][]string{study.Native: {"PATH=/bin", "SHARED=base", "CI=true", "CI_KEPT=base", "GONE=x", "GONE_NOT=y"}}}
	for b := range p.Blocks(plan.Shard{}) {
		run := newRunner(cfg)
		first, err := run.request(b.Trials[0], 1)
		if err != nil {
			t.Fatal(err)
		}
		r, err := run.request(b.Trials[0], 2)
		if err != nil {
			t.Fatal(err)
		}
		if first.ID = r.ID; !reflect.DeepEqual(first, r) {
			t.Errorf("two attempts of a trial are asked for differently: %+v and %+v", first, r)
		}
		return r
	}
	t.Fatal("no trials")
	return trial.Request{}
}

// A subject of steps is run by what the platform has for it, which finds the steps in its environment.
func TestRequestOfSteps(t *testing.T) {
	t.Parallel()
	s := &study.Study{
		Subject:    study.Subject{Steps: []steps.Step{{Wait: "{delay}"}}, Env: map[string]string{steps.Variable: "forged"}},
		Parameters: []study.Parameter{{Name: "delay", Values: []string{"5ms"}}}, Stress: []study.Stress{{Name: "none"}},
		Variants: []study.Variant{{Name: "a"}},
	}
	cell := plan.Cell{Variant: "a", Platform: study.Native, Stress: "none", Parameters: []plan.Setting{{Name: "delay", Value: "5ms"}}}
	c := Config{Study: s, Steps: map[study.Platform][]string{study.Native: {"/bin/{delay}", "__steps"}}}
	r, err := c.form(cell)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"/bin/{delay}", "__steps"}; !slices.Equal(r.Command, want) || r.Shell {
		t.Errorf("command %q, want %q", r.Command, want)
	}
	var scripts []string
	for _, pair := range r.Env {
		if text, ok := strings.CutPrefix(pair, steps.Variable+"="); ok {
			scripts = append(scripts, text)
		}
	}
	if len(scripts) != 1 {
		t.Fatalf("%d scripts in %q", len(scripts), r.Env)
	}
	if got, err := steps.Decode(scripts[0]); err != nil || !reflect.DeepEqual(got.Steps, s.Subject.Steps) || !slices.Contains(r.Env, "FAILRATE_PARAM_DELAY=5ms") {
		t.Errorf("%+v, %v, %q", got, err, r.Env)
	}
	cell.Platform = study.Container
	if _, err := c.form(cell); err == nil || err.Error() != "nothing runs steps on the platform container" {
		t.Errorf("without a program: %v", err)
	}
}

func TestRequestFillsParametersAndAppliesTheVariant(t *testing.T) {
	t.Parallel()
	r := requestOf(t, false, "5ms")
	if want := []string{"run", "--delay=5ms", "--x", "it's 5ms"}; !slices.Equal(r.Command, want) {
		t.Errorf("command %q, want %q", r.Command, want)
	}
	if r.ID != "a/native/half/delay=5ms#0001!2" || r.Quota != 0.5 || r.Timeout != time.Second {
		t.Errorf("request %+v", r)
	}
	if slices.Contains(r.Env, "CI=true") || slices.Contains(r.Env, "GONE=x") {
		t.Errorf("the environment has what the subject unsets: %q", r.Env)
	}
	for _, want := range []string{"PATH=/bin", "CI_KEPT=subject", "GONE_NOT=y", "SHARED=variant", "WAIT=5ms", "FAILRATE_PARAM_DELAY=5ms", "FAILRATE_VARIANT=a",
		"FAILRATE_TRIAL=a/native/half/delay=5ms#0001", "FAILRATE_PLATFORM=native", "FAILRATE_STRESS=half"} {
		if !slices.Contains(r.Env, want) {
			t.Errorf("environment lacks %q: %q", want, r.Env)
		}
	}
}

// A parameter's value or a variant's argument must never become a command of the shell.
func TestRequestQuotesForTheShell(t *testing.T) {
	t.Parallel()
	r := requestOf(t, true, "$(reboot); 'x'")
	want := `run '$(reboot); '\''x'\''' && true '--x' 'it'\''s $(reboot); '\''x'\'''`
	if len(r.Command) != 1 || r.Command[0] != want {
		t.Errorf("command %q\nwant    %q", r.Command, want)
	}
}
