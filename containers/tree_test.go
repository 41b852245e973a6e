package containers

import (
	"archive/tar"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// plant makes files: a name that ends in / is a folder, a text that begins with → a link.
func plant(t testing.TB, dir string, files map[string]string) string {
	t.Helper()
	for name, text := range files {
		p := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(p), 0o755)
		if to, ok := strings.CutPrefix(text, "→"); err == nil && ok {
			err = os.Symlink(to, p)
		} else if err == nil && strings.HasSuffix(name, "/") {
			err = os.MkdirAll(p, 0o755)
		} else if err == nil {
			err = os.WriteFile(p, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestPipeTar(t *testing.T) {
	t.Parallel()
	dir := plant(t, t.TempDir(), map[string]string{"a": "1", "d/b": "22", "d/l": "→../a", "bin/x": "#!", ".git/HEAD": "x", "d/.git": "y"})
	if err := os.Chmod(filepath.Join(dir, "bin/x"), 0o750); err != nil {
		t.Fatal(err)
	}
	socket, err := net.Listen("unix", filepath.Join(dir, "s")) // is left out
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	r := pipeTar(func(w *tarWriter) error {
		w.uid, w.gid = 7, 8
		return w.tree(dir)
	})
	var got []string
	for in := tar.NewReader(r); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil || h.Uid != 7 || h.Gid != 8 {
			t.Errorf("%s belongs to %d:%d, %v", h.Name, h.Uid, h.Gid, err)
		}
		got = append(got, strings.TrimSpace(h.Name+" "+h.FileInfo().Mode().String()+" "+h.Linkname+string(text)))
	}
	want := []string{
		"work/ drwxr-xr-x", "work/a -rw-r--r-- 1", "work/bin/ drwxr-xr-x", "work/bin/x -rwxr-x--- #!",
		"work/d/ drwxr-xr-x", "work/d/b -rw-r--r-- 22", "work/d/l Lrwxrwxrwx ../a",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

func TestPipeTarOfMissingTree(t *testing.T) {
	t.Parallel()
	r := pipeTar(func(w *tarWriter) error { return w.tree(filepath.Join(t.TempDir(), "none")) })
	defer r.Close()
	if _, err := io.ReadAll(r); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("error %v", err)
	}
}

// TestPipeTarGivenUp requires that a reader who loses interest ends the writer.
func TestPipeTarGivenUp(t *testing.T) {
	t.Parallel()
	dir := plant(t, t.TempDir(), map[string]string{"big": strings.Repeat("x", 1<<20)})
	r := pipeTar(func(w *tarWriter) error { return w.tree(dir) })
	if _, err := r.Read(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil { // hangs if the writer does
		t.Error(err)
	}
}
