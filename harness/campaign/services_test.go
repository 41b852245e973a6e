package campaign

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/failrate/failrate/harness/plan"
	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
)

func TestServicesOfARequest(t *testing.T) {
	t.Parallel()
	s := &study.Study{
		Name: "s", Baseline: "a", Iterations: 1, Platforms: []study.Platform{study.Native},
		Variants: []study.Variant{{Name: "a", Services: map[string]study.ServiceChange{"node": {Args: []string{"--fix={delay}"}}}}},
		Stress:   []study.Stress{{Name: "none"}}, Parameters: []study.Parameter{{Name: "delay", Values: []string{"a {node} b"}}},
		Subject: study.Subject{Command: []string{"ask {node} {node.81} {delay}"}, Shell: true, Unset: []string{"CI"},
			Services: []study.Service{{Name: "node", Command: []string{"./node", "{host}:{port}", "{port.81}"}, Ports: []int{80, 81}, Env: map[string]string{"SELF": "{node}"}}}},
	}
	p, err := plan.New(s, "", plan.Selection{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Study: s, Plan: p, BaseEnv: map[study.Platform][]string{study.Native: {"PATH=/bin", "CI=true"}}}
	for b := range p.Blocks(plan.Shard{}) {
		r, err := newRunner(cfg).request(b.Trials[0], 1)
		if err != nil {
			t.Fatal(err)
		}
		if want := "ask \x00node\x00 \x00node.81\x00 'a {node} b'"; r.Command[0] != want {
			t.Errorf("command %q, want %q: a parameter's value must not be taken for a place", r.Command[0], want)
		}
		got := r.Services[0]
		if want := []string{"./node", "\x00host\x00:\x00port\x00", "\x00port.81\x00", "--fix=a {node} b"}; !slices.Equal(got.Command, want) {
			t.Errorf("command %q, want %q", got.Command, want)
		}
		for name, want := range map[string]string{"PATH": "/bin", "CI": "", "SELF": "\x00node\x00", "FAILRATE_PARAM_DELAY": "a {node} b", "FAILRATE_PLATFORM": "native", "FAILRATE_TRIAL": ""} {
			if got.Env[name] != want {
				t.Errorf("%s is %q, want %q", name, got.Env[name], want)
			}
		}
		if got.Env["FAILRATE_SEED"] == "" || s.Subject.Services[0].Env["PATH"] != "" {
			t.Error("no seed, or the study was changed")
		}
	}
}

// blockWatcher is an executor that notes when its blocks end.
type blockWatcher struct {
	trial.Executor
	ended chan string
}

func (w blockWatcher) EndBlock(_ context.Context, block string) { w.ended <- block }

func TestBlocksEnd(t *testing.T) {
	t.Parallel()
	for _, jobs := range []int{1, 4} {
		ended := make(chan string, 10)
		sum, err := newBench(t, 3).run(t.Context(), func(c *Config) {
			c.Jobs = jobs
			c.Executors = map[study.Platform]trial.Executor{study.Native: blockWatcher{c.Executors[study.Native], ended}}
		})
		if err != nil || !sum.Complete() {
			t.Fatalf("%+v, %v", sum, err)
		}
		close(ended)
		var got []string
		for b := range ended {
			got = append(got, b)
		}
		slices.Sort(got)
		if strings.Join(got, " ") != "main/0/1 main/0/2 main/0/3" {
			t.Errorf("jobs %d: %q", jobs, got)
		}
	}
}

func TestServiceLogsAreKept(t *testing.T) {
	t.Parallel()
	files := Files{Results: t.TempDir(), Scratch: t.TempDir()}
	for _, keep := range []study.Keep{study.KeepAll, study.KeepNone} {
		a, out, err := (&places{files: files}).open(trial.Request{ID: "a/native/none#0001", Services: []study.Service{{Name: "node"}}}, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(out.Services, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(out.Services, "node.log"), []byte("hello"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := a.close(keep, 0); err != nil {
			t.Fatal(err)
		}
		kept, err := filepath.Glob(filepath.Join(files.Results, "logs", "*.service-node.log.gz"))
		if want := keep == study.KeepAll; err != nil || (len(kept) == 1) != want {
			t.Errorf("%s: kept %q, %v", keep, kept, err)
		}
		if err := os.RemoveAll(filepath.Join(files.Results, "logs")); err != nil {
			t.Fatal(err)
		}
	}
}
