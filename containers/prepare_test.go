package containers

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
)

// prepare prepares with the tests' agent and owner.
func prepare(t testing.TB, e *Engine, o PrepareOptions) (Image, error) {
	t.Helper()
	o.Agent, o.Owner = shared.agent, shared.owner
	if o.Getenv == nil {
		o.Getenv = func(string) string { return "" }
	}
	return e.Prepare(t.Context(), o)
}

// attemptOf is a request with all its output in a folder of the test's own.
func attemptOf(t testing.TB, command ...string) trial.Request {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "results"), 0o700); err != nil {
		t.Fatal(err)
	}
	return trial.Request{
		ID: "a/container/none#0001", Variant: "a", Command: command, Timeout: patience,
		Out: trial.Output{
			Log: filepath.Join(dir, "log"), Records: filepath.Join(dir, "records"),
			Artifacts: filepath.Join(dir, "artifacts"), Results: filepath.Join(dir, "results"),
		},
	}
}

// execute runs one command in an image and gives its log. It must end well.
func execute(t testing.TB, e *Engine, img Image, command ...string) string {
	t.Helper()
	x := newExecutor(t, Options{Engine: e, Images: map[string]Image{"a": img}})
	r := attemptOf(t, command...)
	o := x.Execute(t.Context(), r)
	log := readFile(t, r.Out.Log)
	if o.Fault != "" || o.Exit != 0 {
		t.Fatalf("%q: %+v, log %.2000q", command, o, log)
	}
	return log
}

func TestPrepareWithSetup(t *testing.T) {
	t.Parallel()
	e := needEngine(t)
	tree := plant(t, suiteTree(t), map[string]string{"new-each-time": rand.Text()})
	var log strings.Builder
	o := PrepareOptions{
		Image: study.Image{Name: "scratch"}, Tree: tree, Log: &log, Env: []string{"GIVEN=yes"},
		Setup: [][]string{{"./subject", "stdout=setting up", "env=GIVEN", "write=made/by/setup:42"}, {"./subject", "write=$TMPDIR/x:1"}},
	}
	img, err := prepare(t, e, o)
	if err != nil || img.Reused {
		t.Fatal(img, err)
	}
	if got := log.String(); !strings.Contains(got, "setting up\n\"yes\" true\n") {
		t.Errorf("log %q", got)
	}
	// Every container starts from what the set-up left, whatever an earlier one did to it.
	for range 2 {
		execute(t, e, img, "./subject", "write=$PWD/made/by/setup:spoilt")
	}
	x := newExecutor(t, Options{Engine: e, Images: map[string]Image{"a": img}})
	r := attemptOf(t, "./subject", "write=made/by/new:1")
	r.Results = "{made,nowhere}/**"
	if got := x.Execute(t.Context(), r); got.Fault != "" || !slices.Equal(got.Results, []string{"made/by/new"}) {
		t.Errorf("%+v, want the file that the attempt made and not the one that the set-up did", got)
	}
	again, err := prepare(t, e, o)
	if err != nil || !again.Reused || again.ID != img.ID {
		t.Errorf("prepared again: %+v, %v", again, err)
	}
	o.Setup = append(o.Setup, []string{"./subject"})
	if other, err := prepare(t, e, o); err != nil || other.Reused || other.ID == img.ID {
		t.Errorf("with more set-up: %+v, %v", other, err)
	}
	if err := os.WriteFile(filepath.Join(tree, "new"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	o.Setup = nil
	changed, err := prepare(t, e, o)
	if err != nil || changed.Reused || changed.Facts["tree"] == img.Facts["tree"] {
		t.Errorf("with a changed tree: %+v, %v", changed, err)
	}
}

func TestPrepareFailedSetup(t *testing.T) {
	t.Parallel()
	e := needEngine(t)
	_, err := prepare(t, e, PrepareOptions{
		Image: study.Image{Name: "scratch"}, Tree: suiteTree(t),
		Setup: [][]string{{"./subject", "stdout=one"}, {"./subject", "bytes=2000", "stderr=the reason", "exit=7"}, {"./subject", "stdout=never"}},
	})
	var s *SetupError
	if !errors.As(err, &s) || s.Why != "exit status 7" || s.Command[1] != "bytes=2000" {
		t.Fatalf("error %v, want a SetupError", err)
	}
	if n := len(s.Tail); n != 20 || !strings.HasSuffix(s.Tail[n-1], "the reason") {
		t.Errorf("%d lines of tail: %q", n, s.Tail)
	}
	_, err = prepare(t, e, PrepareOptions{
		Image: study.Image{Name: "scratch"}, Tree: suiteTree(t), Setup: [][]string{{"./nothing"}},
	})
	if !errors.As(err, &s) || !strings.Contains(s.Why, "nothing") {
		t.Errorf("error %v, want one that names the missing program", err)
	}
	_, err = prepare(t, e, PrepareOptions{
		Image: study.Image{Name: "scratch"}, Tree: suiteTree(t), Setup: [][]string{{"./subject", "sleep="}}, Patience: 3 * time.Second,
	})
	if !errors.As(err, &s) || s.Why != "not done after 3s" {
		t.Errorf("error %v, want one about the time", err)
	}
}

func TestPrepareCancelled(t *testing.T) {
	t.Parallel()
	e := needEngine(t)
	ctx, cancel := context.WithCancel(t.Context())
	started := &trigger{do: cancel}
	_, err := e.Prepare(ctx, PrepareOptions{
		Image: study.Image{Name: "scratch"}, Tree: suiteTree(t), Setup: [][]string{{"./subject", "stdout=begun", "sleep="}},
		Agent: shared.agent, Owner: shared.owner, Log: started,
	})
	var s *SetupError
	if !errors.As(err, &s) || s.Why != "stopped" {
		t.Errorf("error %v", err)
	}
}

// trigger calls do when something is written to it.
type trigger struct{ do func() }

func (w *trigger) Write(b []byte) (int, error) {
	w.do()
	return len(b), nil
}

func TestPrepareNamed(t *testing.T) {
	t.Parallel()
	e := needEngine(t)
	base := suiteImage(t, e)
	name := "failrate-test-" + strings.ToLower(shared.owner.Session[5:]) + ":1"
	if err := e.cli.ImageTag(t.Context(), base.ID, name); err != nil {
		t.Fatal(err)
	}
	dir := plant(t, t.TempDir(), map[string]string{"a/file": "x"})
	img, err := prepare(t, e, PrepareOptions{Image: study.Image{Name: name}, Tree: dir})
	if err != nil {
		t.Fatal(err)
	}
	if img.Facts["image"] != name || !regexp.MustCompile(`^sha256:[0-9a-f]{64}$`).MatchString(img.Facts["image-digest"]) {
		t.Errorf("facts %v", img.Facts)
	}
	execute(t, e, img, "./subject", "append=a/file:y") // the base's files and the tree's are both there
	swapped, err := prepare(t, e, PrepareOptions{Image: study.Image{Name: "elsewhere/x:7"}, Tree: dir, Swap: map[string]string{"elsewhere/x": name}})
	if err != nil || !swapped.Reused || swapped.Facts["image-swapped-for"] != "elsewhere/x:7" || swapped.Facts["image"] != name {
		t.Errorf("%+v, %v", swapped, err)
	}
	swapped, err = prepare(t, e, PrepareOptions{Image: study.Image{Name: "elsewhere/x:7"}, Tree: dir, Getenv: func(k string) string {
		if k == "FAILRATE_IMAGE_ELSEWHERE_X_7" {
			return name
		}
		return ""
	}})
	if err != nil || swapped.ID != img.ID {
		t.Errorf("%+v, %v", swapped, err)
	}
}

func TestPrepareMissingImage(t *testing.T) {
	t.Parallel()
	e := needEngine(t)
	name := "failrate.invalid/none:1" // a name that no registry has, by RFC 6761
	_, err := prepare(t, e, PrepareOptions{Image: study.Image{Name: name, Pull: study.PullNever}})
	if err == nil || !strings.Contains(err.Error(), "never to pull") {
		t.Errorf("error %v", err)
	}
	for _, p := range []study.Pull{study.PullMissing, study.PullAlways, ""} {
		_, err := prepare(t, e, PrepareOptions{Image: study.Image{Name: name, Pull: p}})
		if err == nil || !strings.Contains(err.Error(), `pull image "failrate.invalid/none:1"`) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v", p, err)
		}
	}
	if _, err := prepare(t, e, PrepareOptions{}); err == nil {
		t.Error("no image at all was taken")
	}
}

// shellImage is a folder with a Dockerfile of an image that has a shell: the host's, with the libraries it needs.
func shellImage(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "ldd", "/bin/sh").Output()
	if err != nil {
		t.Skipf("SKIPPED: this host has no shell that can be taken along: %v", err)
	}
	dir := t.TempDir()
	files := append(regexp.MustCompile(`/[^ )]+`).FindAllString(string(out), -1), "/bin/sh")
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		p := filepath.Join(dir, "root", f)
		if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, b, 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	return plant(t, dir, map[string]string{
		"Dockerfile":    "FROM scratch\nARG WORD=none\nENV WORD=$WORD PATH=/bin\nCOPY root/ /\nCOPY . /context\nEXPOSE 8983\nUSER 1234:5678\nENTRYPOINT [\"/never\"]\n",
		".dockerignore": "ignored\n",
		"ignored":       shared.owner.Session,
		"owner":         rand.Text(), // so that it is built each time
	})
}

func TestPrepareBuilt(t *testing.T) {
	t.Parallel()
	e := needEngine(t)
	folder := shellImage(t)
	var log strings.Builder
	o := PrepareOptions{
		Image: study.Image{Build: folder, Args: map[string]string{"WORD": "given"}}, Log: &log,
		Tree:  plant(t, t.TempDir(), map[string]string{"run.sh": "#!/bin/sh\necho script $WORD; exit 0\n", "empty/": ""}),
		Setup: [][]string{{"/bin/sh", "-c", "echo $WORD > empty/word"}},
	}
	if err := os.Chmod(filepath.Join(o.Tree, "run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	img, err := prepare(t, e, o)
	if err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	if !strings.Contains(log.String(), "COPY") {
		t.Errorf("log %q", log.String())
	}
	if got := execute(t, e, img, "run.sh"); got != "script given\n" { // found in the tree
		t.Errorf("log %q", got)
	}
	if got := execute(t, e, img, "sh", "-c", "read w < empty/word; echo $w; echo x > empty/new; cd /context; echo *"); got != "given\nDockerfile owner root\n" {
		t.Errorf("log %q", got) // the image's user owns the tree
	}
	x := newExecutor(t, Options{Engine: e, Images: map[string]Image{"a": img}})
	r := attemptOf(t, `echo "$1-$FAILRATE_X"; exit 3`, "more words")
	r.Shell, r.Env = true, []string{"FAILRATE_X=1"}
	if got := x.Execute(t.Context(), r); got.Exit != 3 || readFile(t, r.Out.Log) != "more words-1\n" {
		t.Errorf("%+v, log %q", got, readFile(t, r.Out.Log))
	}
	again, err := prepare(t, e, o)
	if err != nil || !again.Reused {
		t.Errorf("%+v, %v", again, err)
	}
	o.Image.Args = map[string]string{"WORD": "other"}
	if other, err := prepare(t, e, o); err != nil || other.Reused || other.Facts["image-digest"] == img.Facts["image-digest"] {
		t.Errorf("%+v, %v", other, err)
	}
}

func TestPrepareFailedBuild(t *testing.T) {
	t.Parallel()
	e := needEngine(t)
	dir := plant(t, t.TempDir(), map[string]string{"Dockerfile": "FROM scratch\nCOPY none /\n"})
	_, err := prepare(t, e, PrepareOptions{Image: study.Image{Build: dir}})
	if err == nil || !strings.Contains(err.Error(), "none") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v", err)
	}
	if _, err = prepare(t, e, PrepareOptions{Image: study.Image{Build: t.TempDir()}}); err == nil {
		t.Error("a folder without a Dockerfile was built")
	}
}

func TestPreparedImage(t *testing.T) {
	t.Parallel()
	e := needEngine(t)
	img := suiteImage(t, e)
	got, err := e.cli.ImageInspect(t.Context(), img.ID)
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range map[string]string{labelManaged: "true", labelKind: kindImage, labelSession: shared.owner.Session, labelBase: "scratch"} {
		if got.Config.Labels[k] != want {
			t.Errorf("label %s is %q, want %q", k, got.Config.Labels[k], want)
		}
	}
	if len(got.RepoTags) == 0 {
		t.Error("it has no tag, so that a prune takes it for garbage")
	}
	if img.Facts["tree"] == "" || img.Facts["image"] != "scratch" || img.Holder == "" || img.Holder == img.ID {
		t.Errorf("%+v", img)
	}
}

// readFile reads an attempt's log, which is not there when nothing was written.
func readFile(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(b)
}
