package classify

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
)

var update = flag.Bool("update", false, "rewrite the wanted judgements of the corpus")

// corpusSize is how many captures there are; a walk that finds another number has lost some, or one was added here too.
const corpusSize = 92

// corpusCase is case.json: how the capture ended, and the study that it is judged by.
type corpusCase struct {
	Format   study.ResultFormat
	Files    string
	Exit     int
	Signal   string
	Classes  []study.Class
	Evidence []study.Evidence
}

// TestCorpus judges real outputs of real tools; how.txt beside each says how it was captured.
// want.json is the judgement; want-retried.json, where there is one, that of a study in which a retried pass is a pass.
func TestCorpus(t *testing.T) {
	t.Parallel()
	dirs, err := filepath.Glob("testdata/corpus/*/*")
	if err != nil || len(dirs) != corpusSize {
		t.Fatalf("the corpus has %d captures and should have %d (%v)", len(dirs), corpusSize, err)
	}
	for _, dir := range dirs {
		t.Run(filepath.ToSlash(dir[len("testdata/corpus/"):]), func(t *testing.T) {
			t.Parallel()
			if how, err := os.ReadFile(filepath.Join(dir, "how.txt")); err != nil || !bytes.Contains(how, []byte("versions: ")) {
				t.Errorf("how.txt does not say with which versions it was captured (%v)", err)
			}
			compareJudgement(t, filepath.Join(dir, "want.json"), judgeCapture(t, dir, ""))
			if retried := filepath.Join(dir, "want-retried.json"); exists(retried) {
				compareJudgement(t, retried, judgeCapture(t, dir, "pass"))
			}
		})
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// judgeCapture judges the capture in a folder.
func judgeCapture(t *testing.T, dir, retriedPass string) Judgement {
	t.Helper()
	var c corpusCase
	text, err := os.ReadFile(filepath.Join(dir, "case.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	r, err := Compile(&study.Study{
		Subject: study.Subject{Results: study.Results{Format: c.Format, Files: c.Files, RetriedPass: retriedPass}},
		Classes: c.Classes, Evidence: c.Evidence,
	})
	if err != nil {
		t.Fatal(err)
	}
	obs := trial.Observation{Exit: c.Exit, Signal: c.Signal, Wall: time.Second}
	out := trial.Output{Log: filepath.Join(dir, "output"), Results: filepath.Join(dir, "results")}
	if stdout := filepath.Join(dir, "stdout"); exists(stdout) {
		out.Stdout = stdout
	}
	log, err := os.ReadFile(out.Log)
	if err != nil {
		t.Fatal(err)
	}
	obs.Output.Bytes = int64(len(log))
	files, err := os.ReadDir(out.Results)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for _, f := range files {
		obs.Results = append(obs.Results, f.Name())
	}
	slices.Sort(obs.Results)
	in := OpenInput(out)
	first := r.Judge("baseline", obs, in)
	again, _ := json.Marshal(r.Judge("baseline", obs, in))
	if was, _ := json.Marshal(first); !bytes.Equal(was, again) {
		t.Errorf("judged again, it is\n%s\nand was\n%s", again, was)
	}
	return first
}

// compareJudgement compares a judgement with the wanted one, or rewrites that.
func compareJudgement(t *testing.T, path string, j Judgement) {
	t.Helper()
	if len(j.Reason) > MaxReason || len(j.Excerpt) > MaxExcerpt {
		t.Errorf("reason of %d bytes, excerpt of %d", len(j.Reason), len(j.Excerpt))
	}
	got := asJSON(t, j)
	if *update {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs: got\n%s\nwant\n%s", path, got, want)
	}
}

// asJSON writes a judgement for people to read.
func asJSON(t *testing.T, j Judgement) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(j); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
