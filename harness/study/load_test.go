package study

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"
)

func load(t *testing.T, path string) *Study {
	t.Helper()
	s, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func parse(t *testing.T, doc, dir string) *Study {
	t.Helper()
	s, err := Parse(FileName, []byte(doc), dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// absolute is a path below testdata as a Study holds it.
func absolute(t *testing.T, parts ...string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(append([]string{"testdata"}, parts...)...))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLoadsTheDesignExample(t *testing.T) {
	t.Parallel()
	got := load(t, "testdata/solr-recovery")
	want := withDefaults()
	want.Name, want.Dir = "solr-recovery", absolute(t, "solr-recovery")
	want.Title = "RecoveryAfterSoftCommitTest after the replica is cut off"
	want.Source = "https://issues.apache.org/jira/browse/SOLR-18530"
	want.Conditions = "every variant forces updates to any replica; worst case, not the CI rate"
	url := "https://github.com/apache/solr.git"
	want.Subject.Git = &Git{URL: url, Ref: "main", written: url}
	want.Subject.Image = Image{Name: "eclipse-temurin:21", Pull: PullMissing}
	want.Subject.Setup = [][]string{{"./gradlew", ":solr:core:testClasses"}}
	want.Subject.Command = []string{"./gradlew", ":solr:core:test", "--tests", "*RecoveryAfterSoftCommitTest"}
	want.Subject.Results = Results{Format: ResultJUnit, Files: "solr/core/build/test-results/test/*.xml", RetriedPass: "fail"}
	want.Subject.Timeout = 10 * time.Minute
	want.Baseline = "baseline"
	want.Variants = []Variant{
		{Name: "baseline"},
		{Name: "leaders-only", Patches: []string{absolute(t, "solr-recovery", "leaders-only.patch")}},
		{Name: "any-comm-error", Patches: []string{absolute(t, "solr-recovery", "any-comm-error.patch")}},
		{Name: "old-client", Ref: "branch_9x"},
	}
	want.Controls = []Control{
		{Variant: Variant{Name: "pause-then-close", Args: []string{"-Dcut=pause-then-close"}}, Expect: Expect{Class: "committed", AtLeast: 0.99, AtMost: 1}, Iterations: 5},
		{Variant: Variant{Name: "no-cut", Args: []string{"-Dcut=none"}}, Expect: Expect{Fail: true, AtMost: 0.01}, Iterations: 5},
	}
	want.Platforms = []Platform{Container, Native}
	want.Stress = []Stress{{Name: "none", Place: Beside}, {Name: "cpu-2x", CPU: 2, Place: Beside}}
	want.Classes = []Class{
		{Name: "committed", Match: "IOException occurred when talking to server|Broken pipe|ClosedChannelException", Source: "study.yaml:25:5"},
		{Name: "not-sent", Match: "RequestNotSentException", Source: "study.yaml:26:5"},
		{Broken: true, Match: "No space left on device|Could not resolve", Source: "study.yaml:27:5"},
	}
	want.Evidence = []Evidence{{Name: "recovered", Match: "Replication Recovery was successful", After: `Closing \d+ connections to`}}
	want.Claims = Claims{Tolerate: 0.02, Margin: 0.05, Confidence: 0.95}
	equal(t, got, want)
}

func TestLoadsEveryKey(t *testing.T) {
	t.Parallel()
	got := load(t, filepath.Join("testdata", "all-keys", FileName))
	at := func(parts ...string) string { return absolute(t, append([]string{"all-keys"}, parts...)...) }
	one := 1
	temporary := 75
	built := Image{Build: at("docker"), Pull: PullMissing}
	want := &Study{
		Name: "all-keys", Title: "Every key that a study can have", Source: "https://example.org/issue/1",
		Conditions: "worst case\non purpose\n", Exposure: 0.5, Dir: at(),
		Subject: Subject{
			Git:     &Git{URL: absolute(t, "upstream"), Ref: "9.10", written: "../upstream"},
			Compile: []string{"go", "build", "-o", "{out}", "./cmd/subject"}, Image: built,
			Setup:   [][]string{{"make", "deps"}, {"make", "classes", "-j", "2"}},
			Command: []string{"./run", "--delay", "{delay}", "two words"},
			Env:     map[string]string{"LEVEL": "3", "DEBUG": "true", "EMPTY": ""},
			Results: Results{Format: ResultJUnit, Files: "out/*.xml", RetriedPass: "pass"},
			Timeout: 90 * time.Second, Grace: 2 * time.Second,
			Isolation: Isolation{Native: NativeCopy, Container: ContainerWarm}, Network: NetworkBridge,
			Limits:    Limits{CPUs: 1.5, CPUSet: "0-1", Memory: 512 << 20, Pids: 200},
			MaxOutput: 1 << 20,
		},
		Baseline: "as-is",
		Variants: []Variant{
			{Name: "as-is"},
			{Name: "patched", Patches: []string{at("first.patch"), at("second.patch")}, Env: map[string]string{"LEVEL": "4"}},
			{Name: "other-ref", Ref: "branch_9x"},
			{Name: "laid-over", Files: map[string]string{"conf/log.properties": at("overlay", "conf", "log.properties")}},
			{Name: "folder", Files: map[string]string{"conf/log.properties": at("overlay", "conf", "log.properties"), "top.txt": at("overlay", "top.txt")}},
			{Name: "arguments", Args: []string{"-x", "5", "{delay}"}},
			{Name: "other-command", Command: []string{"./other", "{delay}"}},
			{Name: "other-image", Image: Image{Name: "eclipse-temurin:21", Pull: PullAlways}},
			{Name: "rebuilt", Image: Image{Build: at("docker"), Pull: PullMissing, Args: map[string]string{"BASE": "1"}}, BuildArgs: map[string]string{"MODE": "fast"}},
			{Name: "no-setup", Setup: [][]string{}},
		},
		Controls: []Control{
			{Variant: Variant{Name: "always", Args: []string{"--always"}}, Expect: Expect{Class: "committed", AtLeast: 0.999, AtMost: 1}, Iterations: 7},
			{Variant: Variant{Name: "never", Ref: "v1"}, Expect: Expect{Fail: true, AtMost: 0.01}, Iterations: 5},
		},
		Platforms: []Platform{Native, Container},
		Stress: []Stress{
			{Name: "none", Place: Beside},
			{Name: "half", CPU: 2, Duty: 0.5, Burst: true, Place: Inside},
			{Name: "many", Workers: 4, Place: Beside},
			{Name: "small", Place: Beside, Quota: 0.5},
		},
		Parameters: []Parameter{{"delay", []string{"0s", "50us", "1"}}, {"n_1.x", []string{"a b"}}},
		Iterations: 20,
		Classes: []Class{
			{Name: "committed", Match: `Broken pipe|\bEOF\b`, Exit: &one, Source: "study.yaml:48:5"},
			{Name: "crashed", Signal: "SIGSEGV", Source: "study.yaml:49:5"},
			{Broken: true, Exit: &temporary, Source: "study.yaml:50:5"},
			{Name: "rest", Source: "study.yaml:51:5"},
		},
		Evidence: []Evidence{
			{Name: "cut", Match: "cut", After: `port \d+`},
			{Name: "seen", Match: "seen", Optional: true, Except: []string{"never", "as-is"}},
			{Name: "one", Match: "one", Except: []string{"always"}},
		},
		Claims: Claims{Tolerate: 0.01, Margin: 0.1, Confidence: 0.99},
		Broken: BrokenPolicy{Retries: 0, AtMost: 0.05},
		Keep:   KeepAll,
		Warnings: []string{
			`stress level "half": workers inside the container are for containers only; natively they are beside the trial`,
			`stress level "small": its quota acts in containers only, not natively`,
		},
	}
	equal(t, got, want)
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	got := parse(t, "study: s\nsubject: {command: ./flaky}\n", dir)
	want := &Study{
		Name: "s", Dir: dir,
		Subject: Subject{
			Dir: dir, Command: []string{"./flaky"}, Results: Results{Format: ResultExit, RetriedPass: "fail"},
			Timeout: 10 * time.Minute, Grace: 10 * time.Second, Network: NetworkNone, MaxOutput: 64 << 20,
			Isolation: Isolation{Native: NativeShared, Container: ContainerFresh},
		},
		Baseline: "baseline", Variants: []Variant{{Name: "baseline"}},
		Platforms: []Platform{Native}, Stress: []Stress{{Name: "none", Place: Beside}}, Iterations: 100,
		Claims: Claims{Tolerate: 0.02, Margin: 0.05, Confidence: 0.95},
		Broken: BrokenPolicy{Retries: 2, AtMost: 0.2}, Keep: KeepFailed,
	}
	equal(t, got, want)
}

func TestDefaultPlatforms(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		doc  string
		want []Platform
	}{
		"image":         {"study: s\nsubject: {command: x, image: scratch}\n", []Platform{Container, Native}},
		"compiled":      {"study: s\nsubject: {command: x, compile: 'cc -o {out} x.c'}\n", []Platform{Container, Native}},
		"image of all":  {"study: s\nsubject: {command: x}\nvariants: {a: {image: scratch}}\n", []Platform{Container, Native}},
		"image of some": {"study: s\nsubject: {command: x}\nvariants: {a: {image: scratch}, baseline: {}}\n", []Platform{Native}},
	} {
		if got := parse(t, c.doc, t.TempDir()).Platforms; !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: platforms %v, want %v", name, got, c.want)
		}
	}
}

func TestLoadWithoutAStudy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "missing"), filepath.Join(dir, FileName)} {
		_, err := Load(path)
		var errs Errors
		if !errors.Is(err, fs.ErrNotExist) || errors.As(err, &errs) {
			t.Errorf("Load(%s): %v, want a missing file", path, err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, FileName), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(dir); err == nil {
		t.Error("a folder named study.yaml was loaded")
	}
}

func TestLoadNamesTheFileInErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, FileName), []byte("study: 5\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Load(dir)
	want := filepath.Join(dir, FileName) + ":1:1: study has no \"subject\"\n" +
		filepath.Join(dir, FileName) + ":1:8: study must be text, not the number 5\nhint: put it in quotes"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// equal compares studies field by field, so that a difference is readable.
func equal(t *testing.T, got, want *Study) {
	t.Helper()
	g, w := reflect.ValueOf(*got), reflect.ValueOf(*want)
	for i := range g.NumField() {
		if a, b := g.Field(i).Interface(), w.Field(i).Interface(); !reflect.DeepEqual(a, b) {
			t.Errorf("%s:\n got %#v\nwant %#v", g.Type().Field(i).Name, a, b)
		}
	}
}
