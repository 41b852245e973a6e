package faults

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// home is the world of one campaign: its study, results, cache, temporary folder and command, all in one folder of its
// own, and a marker that its subjects bear in their environment.
type home struct {
	dir  string
	mark string
	pids []int  // of the harnesses that were started
	disk string // mounted for the test's own use; empty when none is

	extra []string // further NAME=value of the harness's environment
}

// patience is how long anything may take that is not bounded more tightly. A test that waits longer has found a hang.
const patience = 2 * time.Minute

// newHome makes one. The command is a link of its own, so that the harness and its stress workers are known by it. At
// the end of the test nothing of the campaign may be left.
func newHome(t *testing.T) *home {
	t.Helper()
	h := &home{dir: t.TempDir(), mark: "faults-" + strings.ToLower(rand.Text())}
	for _, name := range []string{"tmp", "study/tree"} {
		if err := os.MkdirAll(filepath.Join(h.dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	lay(t, shared.failrate, filepath.Join(h.dir, "failrate"))
	t.Cleanup(func() {
		if h.disk != "" {
			_ = unmount(h.disk)
		}
		for _, what := range h.leftovers(context.Background()) {
			t.Errorf("left behind: %s", what)
		}
		h.endAll()
	})
	return h
}

// write puts the study into its folder. $MARK in the text becomes the marker, $LOG the file where native subjects say that
// they ran. The subject's tree holds the program as ./subject.
func (h *home) write(t *testing.T, study string) {
	t.Helper()
	study = strings.NewReplacer("$MARK", h.mark, "$LOG", filepath.Join(h.dir, "ran.log")).Replace(study)
	if err := os.WriteFile(filepath.Join(h.dir, "study", "study.yaml"), []byte(study), 0o600); err != nil {
		t.Fatal(err)
	}
	program := shared.subject
	if strings.Contains(study, "platforms: [container]") {
		program = shared.inside
	}
	lay(t, program, filepath.Join(h.dir, "study", "tree", "subject"))
}

// lay links a program, or copies it to another file system.
func lay(t *testing.T, from, to string) {
	t.Helper()
	if os.Link(from, to) == nil {
		return
	}
	b, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, b, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// run is one process of the command.
type run struct {
	cmd    *exec.Cmd
	stdout bytes.Buffer // read it after ended
	stderr said
	ended  chan struct{}
	err    error // of Wait; read it after ended
}

// said is what a process has written so far. Safe for use by several goroutines.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write adds to it.
func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// Len is how many bytes it is.
func (s *said) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Len()
}

// start runs failrate with arguments in the home. Paths in them are best relative: they then read the same in every home.
func (h *home) start(t *testing.T, args ...string) *run {
	t.Helper()
	r := h.prepared(t, args...)
	h.begin(t, r)
	return r
}

// prepared is a process that is not yet begun, so that its streams and environment can be changed.
func (h *home) prepared(t *testing.T, args ...string) *run {
	t.Helper()
	r := &run{cmd: exec.Command(filepath.Join(h.dir, "failrate"), args...), ended: make(chan struct{})}
	r.cmd.Dir, r.cmd.Stdout, r.cmd.Stderr = h.dir, &r.stdout, &r.stderr
	r.cmd.Env = h.env()
	r.cmd.WaitDelay = 10 * time.Second // a child that holds the pipes is a leftover and not a hang
	return r
}

func (h *home) begin(t *testing.T, r *run) {
	t.Helper()
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	h.pids = append(h.pids, r.cmd.Process.Pid)
	go func() {
		defer close(r.ended)
		r.err = r.cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = r.cmd.Process.Kill()
		<-r.ended
	})
}

// env is the command's environment: the caller's, with the home's own folders.
func (h *home) env() []string {
	return slices.Concat(os.Environ(), []string{"TMPDIR=" + filepath.Join(h.dir, "tmp"), "FAILRATE_CACHE=" + filepath.Join(h.dir, "cache"),
		"NO_COLOR=1", "FAULTS_HOME=" + h.mark}, h.extra)
}

// wait gives the exit status; -1 means that a signal ended it. A process that does not end within the limit is a failure.
func (r *run) wait(t *testing.T, limit time.Duration) int {
	t.Helper()
	if !r.endsWithin(limit) {
		_ = r.cmd.Process.Kill()
		<-r.ended
		t.Fatalf("failrate did not end within %v; it had said:\n%s", limit, r.stderr.String())
	}
	var exit *exec.ExitError
	if r.err != nil && !errors.As(r.err, &exit) {
		t.Fatalf("%v: %v\n%s", r.cmd.Args, r.err, r.stderr.String())
	}
	return r.cmd.ProcessState.ExitCode()
}

// endsWithin waits for the end, and reports whether it came in time.
func (r *run) endsWithin(limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-r.ended:
		return true
	case <-timer.C:
		return false
	}
}

// failrate runs the command to its end, which must have the status, and gives what it wrote to stdout.
func (h *home) failrate(t *testing.T, status int, args ...string) string {
	t.Helper()
	r := h.start(t, args...)
	if got := r.wait(t, patience); got != status {
		t.Fatalf("failrate %s: exit status %d and not %d\n%s", strings.Join(args, " "), got, status, r.stderr.String())
	}
	return r.stdout.String()
}

// folders lists the results folders that hold a journal, oldest name first.
func (h *home) folders() []string {
	found, err := filepath.Glob(filepath.Join(h.dir, "results", "*", "*", "journal.jsonl"))
	if err != nil {
		return nil
	}
	for i := range found {
		found[i] = filepath.Dir(found[i])
	}
	return found
}

// journal is the text of the newest campaign's journal; empty when there is none yet.
func (h *home) journal() []byte {
	list := h.folders()
	if len(list) == 0 {
		return nil
	}
	b, err := os.ReadFile(filepath.Join(list[len(list)-1], "journal.jsonl"))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil
	}
	return b
}

// attemptNumber is what a file's name has of a second or later attempt.
var attemptNumber = regexp.MustCompile(`\+\d+`)

// files lists what the newest campaign's results folder holds, once for all attempts of a trial, and without the torn ends
// of a journal, which are kept beside it.
func (h *home) files(t *testing.T) (list []string) {
	t.Helper()
	dirs := h.folders()
	root := dirs[len(dirs)-1]
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasPrefix(d.Name(), "journal.jsonl.torn-") {
			list = append(list, attemptNumber.ReplaceAllString(strings.TrimPrefix(path, root+"/"), ""))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(list)
	return slices.Compact(list)
}
