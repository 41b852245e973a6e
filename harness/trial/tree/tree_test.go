package tree

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fill makes a folder with one of everything.
func fill(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "from")
	old := time.Date(2020, 1, 2, 3, 4, 5, 6000, time.UTC)
	err := errors.Join(
		os.MkdirAll(filepath.Join(dir, "a", "empty"), 0o755),
		os.WriteFile(filepath.Join(dir, "a", "file"), []byte(strings.Repeat("text\n", 100_000)), 0o640),
		os.WriteFile(filepath.Join(dir, "tool"), []byte("#!/bin/sh\n"), 0o755),
		os.WriteFile(filepath.Join(dir, "a", "read-only"), nil, 0o400),
		os.Symlink("a/file", filepath.Join(dir, "link")),
		os.Symlink("/etc", filepath.Join(dir, "away")),
		os.Symlink("nowhere", filepath.Join(dir, "dangling")),
		syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600),
		os.Chtimes(filepath.Join(dir, "a", "file"), old, old),
		os.Chmod(filepath.Join(dir, "a"), 0o555),
	)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func TestFolder(t *testing.T) {
	t.Parallel()
	from := fill(t)
	to := filepath.Join(t.TempDir(), "to")
	t.Cleanup(func() { _ = RemoveAll(to) })
	var c Copier
	if err := c.Folder(t.Context(), from, to); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".", "a", "a/empty", "a/file", "a/read-only", "tool", "link", "away", "dangling"} {
		was, err1 := os.Lstat(filepath.Join(from, name))
		is, err2 := os.Lstat(filepath.Join(to, name))
		if err := errors.Join(err1, err2); err != nil {
			t.Error(err)
			continue
		}
		if was.Mode() != is.Mode() || was.Mode().IsRegular() && !was.ModTime().Equal(is.ModTime()) {
			t.Errorf("%s: mode %v and time %v, want %v and %v", name, is.Mode(), is.ModTime(), was.Mode(), was.ModTime())
		}
	}
	if _, err := os.Lstat(filepath.Join(to, "pipe")); err == nil {
		t.Error("a pipe was copied")
	}
	if target, err := os.Readlink(filepath.Join(to, "away")); target != "/etc" {
		t.Errorf("the link leads to %q (%v)", target, err)
	}
	if d1, d2 := digest(t, from), digest(t, to); d1 != d2 {
		t.Errorf("digests %s and %s", d1, d2)
	}
	if err := os.WriteFile(filepath.Join(to, "tool"), []byte("changed"), 0o700); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(from, "tool")); string(text) != "#!/bin/sh\n" {
		t.Errorf("the original is now %q (%v)", text, err)
	}
	if err := c.Folder(t.Context(), from, to); !errors.Is(err, os.ErrExist) {
		t.Errorf("copied over what was there: %v", err)
	}
}

func digest(t *testing.T, dir string) string {
	t.Helper()
	d, err := Digest(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDigestTellsTreesApart(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for name, change := range map[string]func(dir string) error{
		"none":       func(string) error { return nil },
		"content":    func(d string) error { return os.WriteFile(filepath.Join(d, "tool"), []byte("#!/bin/Sh\n"), 0o755) },
		"longer":     func(d string) error { return os.WriteFile(filepath.Join(d, "tool"), []byte("#!/bin/sh\n\n"), 0o755) },
		"executable": func(d string) error { return os.Chmod(filepath.Join(d, "tool"), 0o644) },
		"renamed":    func(d string) error { return os.Rename(filepath.Join(d, "tool"), filepath.Join(d, "tool2")) },
		"new folder": func(d string) error { return os.Mkdir(filepath.Join(d, "b"), 0o755) },
		"new file":   func(d string) error { return os.WriteFile(filepath.Join(d, "b"), nil, 0o600) },
		"new link":   func(d string) error { return os.Symlink("x", filepath.Join(d, "b")) },
		"link target": func(d string) error {
			return errors.Join(os.Remove(filepath.Join(d, "link")), os.Symlink("a", filepath.Join(d, "link")))
		},
		"link is file": func(d string) error {
			return errors.Join(os.Remove(filepath.Join(d, "link")), os.WriteFile(filepath.Join(d, "link"), []byte("a/file"), 0o600))
		},
	} {
		dir := fill(t)
		if err := change(dir); err != nil {
			t.Fatal(err)
		}
		d := digest(t, dir)
		if other, ok := seen[d]; ok {
			t.Errorf("%q and %q have the same digest", name, other)
		}
		seen[d] = name
	}
}

func TestDigestIsOfContentAlone(t *testing.T) {
	t.Parallel()
	dir := fill(t)
	before := digest(t, dir)
	err := errors.Join(
		os.Chtimes(filepath.Join(dir, "tool"), time.Now(), time.Now()),
		os.Chmod(filepath.Join(dir, "tool"), 0o711),
		os.Mkdir(filepath.Join(dir, ".git"), 0o755),
		os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte("x"), 0o600),
		os.WriteFile(filepath.Join(dir, "a", "empty", ".git"), []byte("gitdir: x"), 0o600),
	)
	if err != nil {
		t.Fatal(err)
	}
	if after := digest(t, dir); after != before {
		t.Errorf("digest %s became %s by what does not count", before, after)
	}
	one, err1 := DigestFiles(t.Context(), dir, []string{"tool", "a/file", "link", "tool"})
	two, err2 := DigestFiles(t.Context(), dir, []string{"link", "tool", "a/file"})
	three, err3 := DigestFiles(t.Context(), dir, []string{"link", "tool"})
	if err := errors.Join(err1, err2, err3); err != nil || one != two || one == three {
		t.Errorf("digests of files %s, %s and %s (%v)", one, two, three, err)
	}
	if _, err := DigestFiles(t.Context(), dir, []string{"none"}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

func TestRemoveAll(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, make := range map[string]func(path string) error{
		"missing": func(string) error { return nil },
		"file":    func(p string) error { return os.WriteFile(p, nil, 0o400) },
		"link":    func(p string) error { return os.Symlink(dir, p) },
		"folder":  func(p string) error { return os.MkdirAll(filepath.Join(p, "a", "b"), 0o700) },
		"closed": func(p string) error {
			return errors.Join(os.MkdirAll(filepath.Join(p, "a", "b"), 0o700), os.Chmod(filepath.Join(p, "a"), 0), os.Chmod(p, 0o500))
		},
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(make(path), RemoveAll(path)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s: still there", name)
		}
	}
	if _, err := os.Stat(dir); err != nil {
		t.Error("a link was followed")
	}
}
