package study

import (
	"fmt"
	"strings"
	"testing"
)

func TestUnreadableFiles(t *testing.T) {
	t.Parallel()
	bomb := "study: s\nsubject:\n  command: x\n  setup: &a0 [x, x, x, x, x, x, x, x, x, x]\nv:\n"
	for i := range 9 {
		bomb += fmt.Sprintf("- &a%d [%s]\n", i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 10), ", "))
	}
	for name, c := range map[string]struct{ doc, want string }{
		"too large": {"# " + strings.Repeat("x", 1<<20), "f.yaml: the file is larger than 1048576 bytes\nhint: a study names large inputs by path"},
		"not UTF-8": {"study: s\ntitle: a\xff\n", "f.yaml:2:9: byte 0xff is not UTF-8\nhint: save the file as UTF-8"},
		"UTF-16":    {"\xfe\xff\x00s", "f.yaml:1:1: byte 0xfe is not UTF-8\nhint: save the file as UTF-8"},
		"control":   {"study: s\ntitle: é\x07\n", "f.yaml:2:9: control character U+0007\nhint: write it as an escape in double quotes, such as \"\\x1b\""},
		"bomb":      {bomb, "f.yaml:9:53: more than 100000 values once aliases are followed\nhint: write the values out instead of using anchors"},
		"large":     {"a: [" + strings.Repeat("x,", 100_001) + "]", "f.yaml:1:200003: more than 100000 values once aliases are followed\nhint: write the values out instead of using anchors"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse("f.yaml", []byte(c.doc), t.TempDir())
			if err == nil || err.Error() != c.want {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
}

// Hostile files are refused in time in proportion to their size; the test's own time limit is the measure.
func TestHostileFilesEnd(t *testing.T) {
	t.Parallel()
	const size = 1 << 17
	for name, unit := range map[string]string{
		"open lists": "[", "open mappings": "{", "dashes": "- ", "keys": "a: ", "anchors": "&a ", "quotes": "'", "comments": "#\n",
		"indents": "? ", "tags": "!!", "colons": ":", "questions": "?\n", "lines": "a\n", "unknown keys": "zz: 1\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := Parse("f.yaml", []byte(strings.Repeat(unit, size/len(unit))), t.TempDir()); err == nil {
				t.Error("no error")
			} else if len(err.Error()) > 100_000 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
		})
	}
}

func TestManyErrorsAreCut(t *testing.T) {
	t.Parallel()
	doc := oneStudy
	for i := range 60 {
		doc += fmt.Sprintf("zz%d: 1\n", i)
	}
	_, err := Parse("f.yaml", []byte(doc), t.TempDir())
	errs := err.(Errors)
	if len(errs) != 51 || errs[50].Error() != "f.yaml: 10 more errors are not shown" || errs[49].Line != 52 {
		t.Errorf("%d errors, the last ones %v and %v", len(errs), errs[49], errs[50])
	}
}

func TestWordsMayStartWithAColon(t *testing.T) {
	t.Parallel()
	s := parse(t, `study: s
title: ": a, :b [:c, {:d"
subject: {command: [./gradlew, :solr:core:test, "a, :b",:x, c::d], env: {A: :b, B: ": :c"}, setup: [:a, iteratons]}
`, t.TempDir())
	if s.Title != ": a, :b [:c, {:d" {
		t.Errorf("title %q", s.Title)
	}
	if got := strings.Join(s.Subject.Command, "|"); got != "./gradlew|:solr:core:test|a, :b|:x|c::d" {
		t.Errorf("command %q", got)
	}
	if s.Subject.Env["A"] != ":b" || s.Subject.Env["B"] != ": :c" || s.Subject.Setup[0][0] != ":a" {
		t.Errorf("env %q, setup %q", s.Subject.Env, s.Subject.Setup)
	}
	_, err := Parse("f.yaml", []byte("study: s\nsubject: {command: [x, :a], timeout: :b}\n"), t.TempDir())
	want := `f.yaml:2:38: timeout must be a duration such as 90s, 10m or 1h30m, not ":b"`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestAFileWithTheHiddenCharacterIsReadAsItIs(t *testing.T) {
	t.Parallel()
	s := parse(t, "study: s\ntitle: \"\ue000: :x\"\nsubject: {command: x}\n", t.TempDir())
	if s.Title != "\ue000: :x" {
		t.Errorf("title %q", s.Title)
	}
}

func TestAliases(t *testing.T) {
	t.Parallel()
	s := parse(t, "study: s\nsubject: {command: &c [a, b], setup: *c, timeout: &t 5s, grace: *t}\n", t.TempDir())
	if len(s.Subject.Setup) != 1 || s.Subject.Setup[0][1] != "b" || s.Subject.Grace != s.Subject.Timeout {
		t.Errorf("setup %q, grace %s, timeout %s", s.Subject.Setup, s.Subject.Grace, s.Subject.Timeout)
	}
}
