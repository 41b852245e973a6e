package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/failrate/failrate/harness/study"
)

// TestReadme runs every failrate command of the README and of the studies' page. Those that measure print their plan and
// stop; those that read results read a campaign that was measured here.
func TestReadme(t *testing.T) {
	var text string
	for _, file := range []string{"../../README.md", "../../variants/README.md"} {
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text += string(page)
	}
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("FAILRATE_CACHE", filepath.Join(dir, "cache"))
	for name, content := range map[string]string{
		"old.sh": "#!/bin/sh\nexit 0\n", "new.sh": "#!/bin/sh\nexit 0\n",
		"path/to/study/study.yaml": "study: study\nsubject: {command: [\"true\"]}\nvariants: {baseline: {}, fixed: {env: {X: '1'}}}\n",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	mustRun(t, "measure", "path/to/study", "-n", "3", "--seed", "1", "--on", "native", "--progress", "none", "--results", "made")
	seen := 0
	for _, line := range commands(text) {
		words := words(t, line)
		switch words[0] {
		case "measure":
			words = append(words, "--dry-run", "--on", "native")
		case "attach":
			words = append(words, "--dry-run")
		}
		for i, w := range words {
			if w == "RESULTS" {
				words[i] = "made"
			}
		}
		mustRun(t, words...)
		seen++
	}
	if seen < 8 {
		t.Errorf("found %d commands in the README: are they still there?", seen)
	}
}

// TestReadmeSteps loads the README's example of steps.
func TestReadmeSteps(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(string(text), "```yaml\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		if !strings.Contains(block, "steps:") {
			continue
		}
		s, err := study.Parse(study.FileName, []byte("study: x\nparameters: {sleep: [0s, 10s]}\n"+block), t.TempDir())
		if err != nil || len(s.Subject.Steps) < 4 || len(s.Warnings) > 0 {
			t.Errorf("%v\n%s", err, block)
		}
		return
	}
	t.Error("the README has no example of steps: is it still there?")
}

// commands are the lines of fenced blocks that call failrate, without comments.
func commands(text string) []string {
	var out []string
	fenced := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
			continue
		}
		line, _, _ = strings.Cut(line, "   #")
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "failrate "); ok && fenced {
			out = append(out, rest)
		}
	}
	return out
}

// words splits a command of the README; its only quotes are single ones.
func words(t *testing.T, line string) []string {
	t.Helper()
	var out []string
	word, quoted, began := "", false, false
	for _, r := range line {
		switch {
		case r == '\'':
			quoted, began = !quoted, true
		case r == ' ' && !quoted:
			if began {
				out = append(out, word)
			}
			word, began = "", false
		default:
			word, began = word+string(r), true
		}
	}
	if began {
		out = append(out, word)
	}
	if len(out) == 0 {
		t.Fatalf("no words in %q", line)
	}
	return out
}

func mustRun(t *testing.T, args ...string) {
	t.Helper()
	var out, errs bytes.Buffer
	if status := run(t.Context(), args, streams{In: strings.NewReader(""), Out: &out, Err: &errs}); status != exitComplete {
		t.Errorf("failrate %q: exit status %d\n%s", args, status, errs.String())
	}
}
