package trialtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/failrate/failrate/harness/trial"
)

// files are what goes to and comes from the subject beside its streams.
func files() []testCase {
	return []testCase{
		{
			name: "environment", args: []string{"env=FAILRATE_TRIAL", "env=GIVEN", "env=FAILRATE_NOT_SET"},
			prepare: func(_ *testing.T, r *trial.Request) { r.Env = append(r.Env, "GIVEN=a b=c") },
			check:   logs("\"case/native/none#0001\" true\n\"a b=c\" true\n\"\" false\n"),
		},
		{
			name: "records", args: []string{`append=$FAILRATE_RECORDS:{"outcome":"pass"}`, `append=$FAILRATE_RECORDS:{"outcome":"fail"}`},
			check: func(t *testing.T, r trial.Request, _ trial.Observation) {
				if got := read(t, r.Out.Records); got != "{\"outcome\":\"pass\"}\n{\"outcome\":\"fail\"}\n" {
					t.Errorf("records %q", got)
				}
			},
		},
		{name: "no-records", check: func(t *testing.T, r trial.Request, _ trial.Observation) {
			missing(t, r.Out.Records)
			missing(t, r.Out.Artifacts)
		}},
		{
			name: "files-of-a-lost-attempt", prepare: func(t *testing.T, r *trial.Request) {
				write(t, r.Out.Records, "stale\n")
				write(t, r.Out.Log, "stale\n")
				write(t, filepath.Join(folder(t, r.Out.Artifacts), "stale.txt"), "stale\n")
			},
			check: func(t *testing.T, r trial.Request, _ trial.Observation) {
				missing(t, r.Out.Records)
				missing(t, r.Out.Log)
				missing(t, r.Out.Artifacts)
			},
		},
		{
			name: "records-of-a-failure", args: []string{"append=$FAILRATE_RECORDS:{}", "exit=1"}, want: ending{exit: 1},
			check: func(t *testing.T, r trial.Request, _ trial.Observation) { read(t, r.Out.Records) },
		},
		{
			name: "artifacts", args: []string{"write=$FAILRATE_ARTIFACTS/one.txt:1", "write=$FAILRATE_ARTIFACTS/a/b/two.txt:2"},
			check: func(t *testing.T, r trial.Request, _ trial.Observation) {
				if got := list(t, r.Out.Artifacts); !slices.Equal(got, []string{"a/b/two.txt", "one.txt"}) {
					t.Errorf("artifacts %q", got)
				}
			},
		},
		{
			name: "artifact-links", args: []string{
				"write=$FAILRATE_ARTIFACTS/one.txt:1", "link=$FAILRATE_ARTIFACTS/out:/etc/passwd", "link=$FAILRATE_ARTIFACTS/up:../../x",
			},
			check: func(t *testing.T, r trial.Request, _ trial.Observation) {
				if got := list(t, r.Out.Artifacts); !slices.Equal(got, []string{"one.txt"}) {
					t.Errorf("artifacts %q, want no link that leaves the folder", got)
				}
			},
		},
		{
			name: "results", args: []string{
				"write=reports/fresh/a.xml:<a/>", "write=reports/fresh/b.xml:<b/>", "write=reports/fresh/c.txt:no",
				"link=reports/fresh/d.xml:/etc/passwd",
			},
			prepare: func(_ *testing.T, r *trial.Request) { r.Results = "reports/fresh/*.xml" },
			check:   collected("reports/fresh/a.xml", "reports/fresh/b.xml"),
		},
		{
			name: "results-of-a-failure", args: []string{"write=reports/failed/deep/er/a.xml:<a/>", "exit=1"}, want: ending{exit: 1},
			prepare: func(_ *testing.T, r *trial.Request) { r.Results = "reports/failed/**/*.xml" },
			check:   collected("reports/failed/deep/er/a.xml"),
		},
		{
			name: "no-results", prepare: func(_ *testing.T, r *trial.Request) { r.Results = "reports/none/*.xml" },
			check: collected(),
		},
		{
			name: "burst", args: []string{"write=$FAILRATE_BURST:", "exit=0"},
			prepare: func(_ *testing.T, r *trial.Request) { r.Burst, r.Out.Burst = true, r.Out.Log+".burst" },
			check:   func(t *testing.T, r trial.Request, _ trial.Observation) { read(t, r.Out.Burst) },
		},
		{name: "scratch", args: []string{"write=$TMPDIR/a/b:c", "env=TMPDIR"}, check: func(t *testing.T, r trial.Request, _ trial.Observation) {
			if got := read(t, r.Out.Log); got == "\"\" false\n" {
				t.Error("no TMPDIR was set")
			}
		}},
	}
}

// collected requires exactly these result files, in the folder and on the observation.
func collected(want ...string) func(*testing.T, trial.Request, trial.Observation) {
	return func(t *testing.T, r trial.Request, o trial.Observation) {
		t.Helper()
		if !slices.Equal(o.Results, want) {
			t.Errorf("observed results %q, want %q", o.Results, want)
		}
		if got := list(t, r.Out.Results); !slices.Equal(got, want) {
			t.Errorf("result files %q, want %q", got, want)
		}
	}
}

// list gives the files below a folder, sorted; links count as files.
func list(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		names = append(names, filepath.ToSlash(name))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func missing(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Lstat(path); err == nil {
		t.Errorf("%s is there", path)
	}
}

func folder(t *testing.T, path string) string {
	t.Helper()
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
