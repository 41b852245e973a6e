package campaign

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
)

func newPlaces(t *testing.T) *places {
	t.Helper()
	return &places{files: Files{Results: t.TempDir(), Scratch: t.TempDir()}}
}

// attempt opens a place, lets f use it, and closes it.
func (p *places) attempt(t *testing.T, id string, f func(trial.Output)) trial.Output {
	t.Helper()
	a, out, err := p.open(trial.Request{ID: id}, true)
	if err != nil {
		t.Fatal(err)
	}
	f(out)
	if err := a.close(study.KeepFailed, classify.Fail); err != nil {
		t.Fatal(err)
	}
	return out
}

func write(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestAnUntouchedFolderIsUsedAgain: by another attempt, with other file names in it.
func TestAnUntouchedFolderIsUsedAgain(t *testing.T) {
	t.Parallel()
	p := newPlaces(t)
	first := p.attempt(t, "a/native/none#0001", func(trial.Output) {})
	second := p.attempt(t, "a/native/none#0002", func(trial.Output) {})
	if filepath.Dir(first.Log) != filepath.Dir(second.Log) {
		t.Errorf("the second attempt writes to %s, though %s was empty", second.Log, filepath.Dir(first.Log))
	}
	if first.Records == second.Records || first.Log == second.Log {
		t.Errorf("two attempts write to one file: %s", first.Records)
	}
}

// TestATouchedFolderIsNotUsedAgain: whatever was left in it, under whatever name, goes with it.
func TestATouchedFolderIsNotUsedAgain(t *testing.T) {
	t.Parallel()
	for what, touch := range map[string]func(first, second trial.Output){
		"a file of its own":    func(_, second trial.Output) { write(t, second.Records+".part") },
		"an earlier attempt's": func(first, _ trial.Output) { write(t, first.Log) },
	} {
		p := newPlaces(t)
		first := p.attempt(t, "a/native/none#0001", func(trial.Output) {})
		second := p.attempt(t, "a/native/none#0002", func(out trial.Output) { touch(first, out) })
		third := p.attempt(t, "a/native/none#0003", func(trial.Output) {})
		if dir := filepath.Dir(second.Log); dir == filepath.Dir(third.Log) {
			t.Errorf("%s: the folder %s is used again", what, dir)
		} else if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Errorf("%s: the folder %s is still there", what, dir)
		}
	}
}

// TestFilesOfAFailureAreKept: every stream that an outcome may be derived from.
func TestFilesOfAFailureAreKept(t *testing.T) {
	t.Parallel()
	p := newPlaces(t)
	p.attempt(t, "a/native/none#0001", func(out trial.Output) {
		write(t, out.Log)
		write(t, out.Stdout)
		write(t, out.Records)
		if err := os.Mkdir(out.Artifacts, 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(out.Artifacts, "core"))
	})
	for _, name := range []string{"logs/a~native~none@0001.log.gz", "logs/a~native~none@0001.stdout.gz",
		"logs/a~native~none@0001.records.jsonl.gz", "artifacts/a~native~none@0001/core"} {
		if _, err := os.Stat(filepath.Join(p.files.Results, name)); err != nil {
			t.Errorf("not kept: %v", err)
		}
	}
}
