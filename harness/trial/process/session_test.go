package process

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// open begins a session that must leave nothing in its folders.
func open(t *testing.T) *Session {
	t.Helper()
	o := Options{Sessions: filepath.Join(t.TempDir(), "deep", "sessions"), Scratch: t.TempDir()}
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		for _, dir := range []string{o.Sessions, o.Scratch} {
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("left in %s: %v (%v)", dir, left, err)
			}
		}
	})
	return s
}

func newLog(t *testing.T, path string) *Log {
	t.Helper()
	l, err := NewLog(path, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestSessionIsPrivate(t *testing.T) {
	t.Parallel()
	s := open(t)
	for path, mode := range map[string]os.FileMode{s.file: 0o600, s.Folder(): os.ModeDir | 0o700, filepath.Dir(s.file): os.ModeDir | 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode() != mode {
			t.Errorf("%s: mode %v (%v), want %v", path, info.Mode(), err, mode)
		}
	}
}

func TestSessionInAFolderOfOthers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil { //nolint:gosec // the point of the test
		t.Fatal(err)
	}
	if _, err := Open(Options{Sessions: dir, Scratch: t.TempDir()}); err == nil {
		t.Error("a folder that everybody can write to was accepted")
	}
	if err := os.WriteFile(filepath.Join(dir, "a.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Sweep(dir); err == nil {
		t.Error("it was swept")
	}
}

func TestCloseRemovesWhatCannotBeWritten(t *testing.T) {
	t.Parallel()
	s := open(t)
	dir := filepath.Join(s.Folder(), "a", "b")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "c"), nil, 0o400); err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(d, 0o100); err != nil {
			t.Fatal(err)
		}
	}
}

// What could not be started says why, and leaves nothing open.
func TestStartFailures(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	s := open(t)
	for _, c := range []struct {
		name, path, dir, want string
		is                    error
	}{
		{"missing", filepath.Join(dir, "none"), dir, "none", syscall.ENOENT},
		{"not executable", file("plain", "#!/bin/sh\n", 0o600), dir, "plain", syscall.EACCES},
		{"no interpreter", file("script", "#!/nowhere/sh\n", 0o700), dir, "interpreter", syscall.ENOENT},
		{"no first line", file("text", "exit 0\n", 0o700), dir, "#! line", syscall.ENOEXEC},
		{"no folder", "/bin/sh", filepath.Join(dir, "nowhere"), "folder", syscall.ENOENT},
		{"a folder", dir, dir, dir, syscall.EACCES},
	} {
		p, err := s.Start(Command{Path: c.path, Args: []string{"x"}, Dir: c.dir, Log: newLog(t, filepath.Join(dir, "log"))})
		if err == nil {
			_, werr := p.Wait(t.Context(), Limits{AtOnce: context.Canceled})
			t.Errorf("%s: started (%v)", c.name, werr)
			continue
		}
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %q, want %v and a word of %q", c.name, err, c.is, c.want)
		}
	}
}

// A limit that is noticed late, as after the harness was suspended, is not what ended a process.
func TestLimitAfterTheEnd(t *testing.T) {
	t.Parallel()
	s := open(t)
	p, err := s.Start(Command{Path: "/bin/sh", Args: []string{"sh", "-c", "exit 3"}, Dir: "/", Log: newLog(t, filepath.Join(t.TempDir(), "log"))})
	if err != nil {
		t.Fatal(err)
	}
	late := &stopper{p: p}
	if err := p.await(late); err != nil {
		t.Fatal(err)
	}
	late.stop(&late.limit, time.Second)
	if late.limit || late.begun {
		t.Error("the limit counts although the process had ended")
	}
	exit, err := p.Wait(t.Context(), Limits{Timeout: time.Nanosecond})
	if err != nil || exit.Limit || exit.Status != 3 {
		t.Errorf("exit %+v (%v), want status 3 and no limit", exit, err)
	}
}

// Output that cannot be kept makes the rest of the process useless: it is ended, and its end is an error.
func TestOutputThatCannotBeKept(t *testing.T) {
	t.Parallel()
	s := open(t)
	p, err := s.Start(Command{
		Path: "/bin/sh", Args: []string{"sh", "-c", "echo x; sleep 600"}, Dir: "/",
		Log: newLog(t, filepath.Join(t.TempDir(), "missing", "log")), Env: []string{"PATH=/usr/bin:/bin"},
	})
	if err != nil {
		t.Fatal(err)
	}
	exit, err := p.Wait(t.Context(), Limits{Timeout: time.Minute, Grace: time.Minute})
	if err != nil {
		t.Fatal(err) // Close of the log tells
	}
	if exit.Limit || exit.Stopped || exit.Signal != "SIGKILL" {
		t.Errorf("exit %+v, want KILL at once", exit)
	}
}

func TestEnviron(t *testing.T) {
	t.Parallel()
	got := strings.Join(Environ([]string{"A=1", "AB=2", "B=3", "A=4", "odd"}, "A=x", "C=y"), " ")
	if got != "AB=2 B=3 odd A=x C=y" {
		t.Errorf("environment %q", got)
	}
}
