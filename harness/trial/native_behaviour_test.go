package trial_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
)

// native is an executor with one variant "v" in a tree of the test's own.
type native struct {
	*trial.Native
	tree, out string
}

func newNative(t *testing.T, o trial.NativeOptions) native {
	t.Helper()
	n := native{tree: t.TempDir(), out: t.TempDir()}
	if o.Scratch == "" {
		o.Scratch = t.TempDir()
	}
	if o.Sessions == "" {
		o.Sessions = t.TempDir()
	}
	if o.Trees == nil {
		o.Trees = map[string]trial.Tree{"v": {Dir: n.tree, Facts: trial.Facts{"digest": "d"}}}
	}
	n.Native = trial.NewNative(o)
	t.Cleanup(func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	})
	return n
}

// shell runs a script as an attempt.
func (n native) shell(t *testing.T, script string, change ...func(*trial.Request)) (trial.Request, trial.Observation) {
	t.Helper()
	r := trial.Request{
		ID: "v/native/none#0001", Variant: "v", Command: []string{script}, Shell: true, Env: []string{"PATH=/usr/bin:/bin"},
		Timeout: time.Minute,
		Out: trial.Output{
			Log: filepath.Join(n.out, "log"), Records: filepath.Join(n.out, "records"),
			Artifacts: filepath.Join(n.out, "artifacts"), Results: n.out,
		},
	}
	for _, c := range change {
		c(&r)
	}
	return r, n.Execute(t.Context(), r)
}

func (n native) file(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	path := filepath.Join(n.tree, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), mode)); err != nil {
		t.Fatal(err)
	}
}

// logged requires success and exactly this log.
func logged(t *testing.T, r trial.Request, o trial.Observation, want string) {
	t.Helper()
	got, err := os.ReadFile(r.Out.Log)
	if o.Exit != 0 || o.Fault != "" || string(got) != want {
		t.Errorf("observed %+v with log %q (%v), want success and %q", o, got, err, want)
	}
}

func TestShellAndItsArguments(t *testing.T) {
	t.Parallel()
	n := newNative(t, trial.NativeOptions{})
	r, o := n.shell(t, `echo "$PWD $1 $2 $GIVEN"; pwd`, func(r *trial.Request) {
		r.Command = append(r.Command, "a b", "c")
		r.Env = append(r.Env, "GIVEN=g", "PWD=/wrong", "TMPDIR=/wrong")
	})
	logged(t, r, o, n.tree+" a b c g\n"+n.tree+"\n")
	if o.Facts["digest"] != "d" {
		t.Errorf("facts %v, want the tree's", o.Facts)
	}
}

func TestWhereAProgramIsLookedUp(t *testing.T) {
	t.Parallel()
	n := newNative(t, trial.NativeOptions{})
	n.file(t, "true", "#!/bin/sh\necho in the tree\n", 0o700)
	n.file(t, "sub/one", "#!/bin/sh\necho below\n", 0o700)
	n.file(t, "echo", "not a program", 0o600)
	for _, c := range []struct{ command, want string }{
		{"true", "in the tree\n"}, {"./true", "in the tree\n"}, {"sub/one", "below\n"}, {"echo", "\n"}, {"one", "below\n"},
	} {
		r, o := n.shell(t, "", func(r *trial.Request) {
			r.Command, r.Shell, r.Env = []string{c.command}, false, []string{"PATH=sub:/usr/bin:/bin"}
		})
		logged(t, r, o, c.want)
	}
	for _, command := range []string{"./echo", "./none", "none", "../none"} {
		_, o := n.shell(t, "", func(r *trial.Request) { r.Command, r.Shell = []string{command}, false })
		if o.Fault == "" || o.Exit != -1 {
			t.Errorf("%q: %+v, want a fault", command, o)
		}
	}
	if _, o := n.shell(t, "", func(r *trial.Request) { r.Command = nil }); o.Fault == "" {
		t.Errorf("no command: %+v, want a fault", o)
	}
}

func TestIsolation(t *testing.T) {
	t.Parallel()
	const script = `cat mark; echo changed > mark; test -x tool && readlink link`
	for isolation, second := range map[study.NativeIsolation]string{
		study.NativeShared: "changed\nmark\n", study.NativeCopy: "original\nmark\n", "": "changed\nmark\n",
	} {
		t.Run(string(isolation), func(t *testing.T) {
			t.Parallel()
			n := newNative(t, trial.NativeOptions{Isolation: isolation})
			n.file(t, "mark", "original\n", 0o600)
			n.file(t, "tool", "", 0o700)
			if err := os.Symlink("mark", filepath.Join(n.tree, "link")); err != nil {
				t.Fatal(err)
			}
			r, o := n.shell(t, script)
			logged(t, r, o, "original\nmark\n")
			r, o = n.shell(t, script)
			logged(t, r, o, second)
		})
	}
}

// Every attempt has an empty folder for temporary files, whatever the one before it did to its own.
func TestScratchIsClean(t *testing.T) {
	t.Parallel()
	n := newNative(t, trial.NativeOptions{})
	const look = `cd "$TMPDIR" && ls -A . .. "$FAILRATE_ARTIFACTS" | grep -v -e : -e '^$' -e '^tmp$' -e '^artifacts$'; true`
	for _, spoil := range []string{
		`touch "$TMPDIR/file"`, `mkdir -p "$TMPDIR/a/b" && chmod 0 "$TMPDIR/a"`, `rm -r "$TMPDIR"`, `touch "$TMPDIR/../file"`,
		`rm -r "$TMPDIR" && ln -s / "$TMPDIR"`, `chmod 0 "$TMPDIR"`, `rm -r "$FAILRATE_ARTIFACTS"`,
		`rm -r "$FAILRATE_ARTIFACTS" && touch "$FAILRATE_ARTIFACTS"`, `rm -r "$FAILRATE_ARTIFACTS" && ln -s / "$FAILRATE_ARTIFACTS"`,
		`chmod 0 "$FAILRATE_ARTIFACTS"`, `mkfifo "$FAILRATE_ARTIFACTS/pipe"`, `cd /; rm -rf "$TMPDIR/.."/*`,
	} {
		if r, o := n.shell(t, spoil); o.Exit != 0 || o.Fault != "" {
			t.Errorf("%s: %+v", spoil, o)
		} else if _, err := os.Lstat(r.Out.Artifacts); err == nil {
			t.Errorf("%s: artifacts were kept", spoil)
		}
		r, o := n.shell(t, look)
		if got, _ := os.ReadFile(r.Out.Log); o.Exit != 0 || len(got) > 0 {
			t.Errorf("after %s: %+v, found %q", spoil, o, got)
		}
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	t.Run("tree", func(t *testing.T) {
		t.Parallel()
		n := newNative(t, trial.NativeOptions{Trees: map[string]trial.Tree{"v": {Err: errors.New("patch does not\napply")}}})
		if _, o := n.shell(t, "exit 0"); o.Fault != `prepare variant "v": patch does not; apply` {
			t.Errorf("%+v", o)
		}
	})
	t.Run("tree gone", func(t *testing.T) {
		t.Parallel()
		n := newNative(t, trial.NativeOptions{Trees: map[string]trial.Tree{"v": {Dir: "/nowhere/tree"}}})
		if _, o := n.shell(t, "exit 0"); !strings.Contains(o.Fault, "/nowhere/tree") {
			t.Errorf("%+v", o)
		}
	})
	t.Run("session", func(t *testing.T) {
		t.Parallel()
		n := newNative(t, trial.NativeOptions{Sessions: "/dev/null/sessions"})
		for range 2 {
			if _, o := n.shell(t, "exit 0"); !strings.Contains(o.Fault, "begin a session") {
				t.Errorf("%+v", o)
			}
		}
	})
	t.Run("log folder", func(t *testing.T) {
		t.Parallel()
		n := newNative(t, trial.NativeOptions{})
		_, o := n.shell(t, "echo x; sleep 600", func(r *trial.Request) { r.Out.Log = filepath.Join(n.out, "none", "log") })
		if !strings.Contains(o.Fault, "keep the output") || o.Limit || o.Exit != -1 || o.Signal != "" {
			t.Errorf("%+v", o)
		}
	})
	t.Run("glob", func(t *testing.T) {
		t.Parallel()
		n := newNative(t, trial.NativeOptions{})
		if _, o := n.shell(t, "exit 0", func(r *trial.Request) { r.Results = "../*" }); !strings.Contains(o.Fault, "leaves the tree") {
			t.Errorf("%+v", o)
		}
	})
}

// A reader of the records would hang on a pipe and follow a link.
func TestRecordsThatAreNoFile(t *testing.T) {
	t.Parallel()
	n := newNative(t, trial.NativeOptions{})
	for _, script := range []string{`mkfifo "$FAILRATE_RECORDS"`, `ln -s /etc/passwd "$FAILRATE_RECORDS"`, `mkdir "$FAILRATE_RECORDS"`} {
		r, o := n.shell(t, script)
		if !strings.Contains(o.Fault, "$FAILRATE_RECORDS") {
			t.Errorf("%s: %+v, want a fault", script, o)
		}
		if _, err := os.Lstat(r.Out.Records); err == nil {
			t.Errorf("%s: it is still there", script)
		}
	}
}

// Result files of an earlier trial are not this one's, however fast one follows the other.
func TestStaleResults(t *testing.T) {
	t.Parallel()
	n := newNative(t, trial.NativeOptions{})
	n.file(t, "r/old.xml", "<old/>", 0o600)
	ask := func(r *trial.Request) { r.Results = "r/*.xml" }
	for i := range 30 {
		_, o := n.shell(t, "echo same > r/new.xml", ask)
		if got := fmt.Sprint(o.Results); got != "[r/new.xml]" || o.Fault != "" {
			t.Fatalf("run %d: results %v, want the new file; %+v", i, got, o)
		}
		_, o = n.shell(t, "true", ask)
		if len(o.Results) > 0 || o.Fault != "" {
			t.Fatalf("run %d: results %v of a trial that wrote none", i, o.Results)
		}
	}
	for _, script := range []string{"mv r/new.xml r/renamed.xml", "touch -t 200001010000 r/old.xml", "cp r/old.xml x; mv x r/old.xml"} {
		if _, o := n.shell(t, script, ask); len(o.Results) != 1 {
			t.Errorf("%s: results %v, want the changed file", script, o.Results)
		}
	}
	if got, err := os.ReadFile(filepath.Join(n.tree, "r/old.xml")); err != nil || string(got) != "<old/>" {
		t.Errorf("a file of the tree is now %q (%v)", got, err)
	}
}

func TestTooManyResults(t *testing.T) {
	t.Parallel()
	n := newNative(t, trial.NativeOptions{})
	_, o := n.shell(t, "mkdir r; cd r; i=0; while test $i -le 1000; do : > $i.xml; i=$((i+1)); done", func(r *trial.Request) { r.Results = "r/*.xml" })
	if !strings.Contains(o.Fault, "more than 1000") {
		t.Errorf("fault %q", o.Fault)
	}
}

// Artifacts are moved, or copied when they are kept on another file system.
func TestArtifactsOnAnotherFileSystem(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("/dev/shm", "failrate-test-")
	if err != nil {
		t.Skipf("SKIPPED: no second file system: %v", err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	n := newNative(t, trial.NativeOptions{Scratch: dir})
	r, o := n.shell(t, `cd "$FAILRATE_ARTIFACTS" && mkdir a && echo one > a/one && ln -s a/one two && ln -s /etc three && chmod 0 a/one a`)
	one, err := os.ReadFile(filepath.Join(r.Out.Artifacts, "two"))
	if string(one) != "one\n" || o.Fault != "" {
		t.Errorf("%q (%v), %+v", one, err, o)
	}
	if _, err := os.Lstat(filepath.Join(r.Out.Artifacts, "three")); err == nil {
		t.Error("a link that leaves the folder was kept")
	}
	if info, err := os.Stat(filepath.Join(r.Out.Artifacts, "a", "one")); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v (%v)", info.Mode(), err)
	}
}

// A native executor that runs nothing makes nothing.
func TestNothingBeforeTheFirstAttempt(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "none")
	if err := trial.NewNative(trial.NativeOptions{Sessions: dir, Scratch: dir}).Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("it made its folder")
	}
}
