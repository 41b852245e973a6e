package mask

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFolder hides in every file, whatever its size, keeps modes, and leaves files without secrets and links alone.
func TestFolder(t *testing.T) {
	t.Parallel()
	m := newMask(t, []string{"A_TOKEN=0123456789"})
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "outside")
	texts := map[string]string{
		"small.log": "a 0123456789 b", "deep/er.xml": strings.Repeat("x", 2*chunk-4) + "0123456789" + strings.Repeat("y", chunk), "clean.log": "nothing", "empty": "",
	}
	if err := os.Mkdir(filepath.Join(dir, "deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(outside, []byte("0123456789"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(filepath.Join(dir, "clean.log"))
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Folder(dir); err != nil {
		t.Fatal(err)
	}
	for name, text := range texts {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if want := strings.ReplaceAll(text, "0123456789", Hidden); err != nil || string(got) != want {
			t.Errorf("%s: %d bytes, want %d (%v)", name, len(got), len(want), err)
		}
	}
	after, err := os.Stat(filepath.Join(dir, "clean.log"))
	if err != nil || !os.SameFile(before, after) {
		t.Errorf("a file without secrets was replaced (%v)", err)
	}
	if info, err := os.Stat(filepath.Join(dir, "small.log")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the mode changed: %v, %v", info, err)
	}
	if got, err := os.ReadFile(outside); err != nil || string(got) != "0123456789" {
		t.Errorf("a link was followed: %q, %v", got, err)
	}
	left := 0
	_ = filepath.WalkDir(dir, func(string, fs.DirEntry, error) error { left++; return nil })
	if want := len(texts) + 3; left != want { // the folder, the one in it, the link
		t.Errorf("%d entries are left, want %d", left, want)
	}
	if err := m.Folder(filepath.Join(dir, "missing")); err != nil {
		t.Errorf("a missing folder: %v", err)
	}
}
