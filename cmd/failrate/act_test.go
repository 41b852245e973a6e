package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestWorkflow runs .github/workflows/measure.yml itself, by act on this machine: four shards, of which one is cancelled
// and run again. The merged table must be that of the same plan run in one go.
func TestWorkflow(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs six workflow jobs that each build failrate")
	}
	w := newWorkflow(t)
	w.act("1")
	cancelled := w.table()
	if len(cancelled.Partial) == 0 && !strings.Contains(string(cancelled.raw), "have not run") {
		t.Errorf("the table does not say that a cancelled shard's trials are missing:\n%s", cancelled.raw)
	}
	w.act("2", "--matrix", "index:2")
	got, want := w.table(), w.unsharded()
	if !bytes.Equal(got.stable(t), want.stable(t)) {
		t.Errorf("sharded, cancelled and run again:\n%s\nin one go:\n%s", got.stable(t), want.stable(t))
	}
	if !strings.Contains(string(got.raw), "a later attempt replaced it") {
		t.Errorf("the table does not say that the cancelled attempt is excluded:\n%s", got.raw)
	}
}

// workflow is a checkout of this repository for act, and a folder in place of the artifact service.
type workflow struct {
	t                   *testing.T
	repo, store, cancel string
	actions             []string // --local-repository arguments
	home                string
}

func newWorkflow(t *testing.T) *workflow {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	w := &workflow{t: t, repo: filepath.Join(dir, "repo"), store: filepath.Join(dir, "store"), cancel: filepath.Join(dir, "cancel"), home: filepath.Join(dir, "home")}
	for _, d := range []string{w.store, w.home} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(w.cancel, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w.run(root, nil, "git", "clone", "--quiet", "--no-hardlinks", root, w.repo)
	text, err := os.ReadFile(filepath.Join(root, ".github/workflows/measure.yml"))
	if err != nil {
		t.Fatal(err)
	}
	uses := regexp.MustCompile(`uses: (actions/(checkout|setup-go|upload-artifact|download-artifact)@[0-9a-f]{40})`)
	seen := map[string]bool{}
	for _, m := range uses.FindAllStringSubmatch(string(text), -1) {
		if !seen[m[1]] {
			seen[m[1]] = true
			w.actions = append(w.actions, "--local-repository", m[1]+"="+filepath.Join(root, "cmd/failrate/testdata/act", m[2]))
		}
	}
	if len(seen) != 4 {
		t.Fatalf("the workflow uses %v, and this test stands in for four actions", seen)
	}
	return w
}

// act runs the workflow once; args choose what runs again.
func (w *workflow) act(attempt string, args ...string) {
	w.t.Helper()
	w.actIn(w.repo, "workflow_dispatch", append([]string{
		"-W", ".github/workflows/measure.yml",
		"--input", "study=cmd/failrate/testdata/act/study", "--input", "shards=4", "--input", "seed=20261201", "--input", "n=40",
		"--env", "FLAKY_CANCEL=" + w.cancel, "--env", "GITHUB_RUN_ATTEMPT=" + attempt,
	}, args...)...)
}

// actIn runs the workflows of a repository for an event, on this machine and in no container.
func (w *workflow) actIn(repo, event string, args ...string) (out string, passed bool) {
	w.t.Helper()
	command := append([]string{"tool", "-modfile=" + filepath.Join(w.repo, ".github/tools/go.mod"), "act", event, "-P", "ubuntu-latest=-self-hosted",
		"-C", repo, "--env", "ARTIFACT_STORE=" + w.store, "--env", "FAILRATE_CACHE=" + filepath.Join(w.home, "failrate"),
	}, args...)
	env := append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(w.home, "cache"), "GOCACHE="+goCache(), "DOCKER_HOST=unix:///nowhere")
	return w.run(w.repo, env, "go", append(command, w.actions...)...)
}

// run runs a program to its end. act's own status is not the test's: a cancelled shard fails its job, as it should.
func (w *workflow) run(dir string, env []string, name string, args ...string) (out string, passed bool) {
	w.t.Helper()
	ctx, stop := context.WithCancel(w.t.Context())
	defer stop()
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env = dir, env
	text, err := c.CombinedOutput()
	if err != nil && name == "git" {
		w.t.Fatalf("%s %q: %v\n%s", name, args, err, text)
	}
	w.t.Logf("%s %q: %v\n%s", name, args, err, text)
	return string(text), err == nil
}

// result is a table in its JSON form.
type result struct {
	Partial []string `json:"partial"`
	raw     []byte
}

func (r result) stable(t *testing.T) []byte {
	t.Helper()
	out, err := stableTable(r.raw)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (w *workflow) table() result {
	w.t.Helper()
	raw, err := os.ReadFile(filepath.Join(w.store, "failrate-report", "table.json"))
	if err != nil {
		w.t.Fatalf("the merge job left no table: %v", err)
	}
	r := result{raw: raw}
	if err := json.Unmarshal(raw, &r); err != nil {
		w.t.Fatal(err)
	}
	return r
}

// unsharded runs the same plan in one go.
func (w *workflow) unsharded() result {
	w.t.Helper()
	var out, errs bytes.Buffer
	a := streams{In: strings.NewReader(""), Out: &out, Err: &errs}
	args := []string{"measure", filepath.Join(w.repo, "cmd/failrate/testdata/act/study"), "-n", "40", "--seed", "20261201",
		"--progress", "none", "--format", "json", "--results", filepath.Join(w.home, "results")}
	if status := run(w.t.Context(), args, a); status != exitComplete {
		w.t.Fatalf("exit status %d: %s", status, errs.String())
	}
	return result{raw: out.Bytes()}
}
