package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestAction lets act run the README's gate in a repository that is not this one: the workflow and the study that the
// README says to paste, action.yml, and what it leaves for the job's summary and its artifact. A test that never fails
// opens the gate, one that fails in 1 of 50 runs keeps it shut.
func TestAction(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs two workflow jobs that each build failrate")
	}
	w := newWorkflow(t)
	gate := filepath.Join(filepath.Dir(w.repo), "gate")
	put := func(name, text string, mode os.FileMode) {
		t.Helper()
		file := filepath.Join(gate, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{".github/workflows/flaky-gate.yml", "ci/new-test/study.yaml"} {
		put(name, readmeFile(t, name), 0o644)
	}
	for _, c := range []struct {
		name, script string
		opens        bool
		failed       int
		note         string
	}{
		{"steady", "#!/bin/sh\nexit 0\n", true, 0, ` \[1\]`},
		{"flaky", "#!/bin/sh\ncase $FAILRATE_TRIAL in *0031) echo lost; exit 1;; esac\n", false, 1, ""},
	} {
		put("ci/new-test/new-test.sh", c.script, 0o755)
		w.commit(gate)
		w.store = filepath.Join(w.home, c.name)
		out, passed := w.actIn(gate, "pull_request", "--local-repository", "failrate/failrate@v1="+w.repo)
		if passed != c.opens {
			t.Errorf("%s: the job passed: %v, want %v\n%s", c.name, passed, c.opens, out)
		}
		if !strings.Contains(out, fmt.Sprintf("| new-test (baseline)%s | %d/50 |", c.note, c.failed)) || strings.Contains(out, "exit status 6") == c.opens {
			t.Errorf("%s: what the job said:\n%s", c.name, out)
		}
		n, failed := w.artifact()
		if n != 50 || failed != c.failed {
			t.Errorf("%s: %d of %d failed in the artifact, want %d of 50", c.name, failed, n, c.failed)
		}
	}
}

// readmeFile is the block of the README whose first line names a file.
func readmeFile(t *testing.T, name string) string {
	t.Helper()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?s)```yaml\n# " + regexp.QuoteMeta(name) + "\n(.*?)```").FindStringSubmatch(string(readme))
	if m == nil {
		t.Fatalf("the README has no block for %s", name)
	}
	return m[1]
}

// commit makes a repository of a folder, or commits what changed in it.
func (w *workflow) commit(dir string) {
	w.t.Helper()
	w.run(dir, nil, "git", "init", "--quiet")
	w.run(dir, nil, "git", "add", "-A")
	w.run(dir, nil, "git", "-c", "user.name=t", "-c", "user.email=t@example.invalid", "commit", "--quiet", "-m", "state")
}

// artifact reads the results in the store: trials in the rate, and failed ones.
func (w *workflow) artifact() (n, failed int) {
	w.t.Helper()
	var table struct {
		Cells []struct{ K, N int }
	}
	var out, errs strings.Builder
	a := streams{In: strings.NewReader(""), Out: &out, Err: &errs}
	if status := run(w.t.Context(), []string{"report", filepath.Join(w.store, "failrate"), "--format", "json"}, a); status != exitComplete {
		w.t.Fatalf("the artifact: exit status %d: %s", status, errs.String())
	}
	if err := json.Unmarshal([]byte(out.String()), &table); err != nil {
		w.t.Fatal(err)
	}
	for _, c := range table.Cells {
		n, failed = n+c.N, failed+c.K
	}
	return n, failed
}
