package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWorkflowCalled calls measure.yml from a workflow of another repository, with a study of that repository: failrate
// itself is fetched beside it, and the merged table has every trial.
func TestWorkflowCalled(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs four workflow jobs that each build failrate")
	}
	w := newWorkflow(t)
	caller := filepath.Join(filepath.Dir(w.repo), "caller")
	for _, dir := range []string{".github/workflows", "study"} {
		if err := os.MkdirAll(filepath.Join(caller, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(caller, "study"), os.DirFS("testdata/act/study")); err != nil {
		t.Fatal(err)
	}
	workflow := "on: push\njobs:\n  flaky:\n    uses: failrate/failrate/.github/workflows/measure.yml@v1\n    with: {study: study, n: 40, shards: 2, seed: 20261201}\n"
	if err := os.WriteFile(filepath.Join(caller, ".github/workflows/flaky.yml"), []byte(workflow), 0o600); err != nil {
		t.Fatal(err)
	}
	w.commit(caller)
	out, _ := w.actIn(caller, "push", "--local-repository", "failrate/failrate@v1="+w.repo, "--env", "ACTED_REPOSITORY="+w.repo)
	got := w.table()
	if len(got.Partial) > 0 || !strings.Contains(string(got.raw), `"n": 40`) || !strings.Contains(out, "failrate/failrate") {
		t.Errorf("the merged table:\n%s", got.raw)
	}
}
