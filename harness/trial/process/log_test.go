package process

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// text is n bytes in which every place is recognisable.
func text(n int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "%d ", i)
	}
	return b.Bytes()[:n]
}

func TestLogKeepsHeadAndTail(t *testing.T) {
	t.Parallel()
	const max = 1000
	for _, total := range []int{0, 1, 499, 500, 501, 999, 1000, 1001, 1250, 1499, 1500, 1501, 1999, 2000, 2001, 12345} {
		for _, piece := range []int{1, 7, 500, 4096} {
			t.Run(fmt.Sprintf("%d-by-%d", total, piece), func(t *testing.T) {
				t.Parallel()
				path := filepath.Join(t.TempDir(), "log")
				in := text(total)
				kept, got := keep(t, path, max, in, piece)
				if kept.Bytes != int64(total) {
					t.Errorf("%d bytes observed, want %d", kept.Bytes, total)
				}
				if total == 0 {
					if kept.SHA256 != "" {
						t.Errorf("digest %q of nothing", kept.SHA256)
					}
				} else if sum := sha256.Sum256(got); kept.SHA256 != hex.EncodeToString(sum[:]) {
					t.Error("the digest is not the file's")
				}
				checkKept(t, in, got, kept, max)
			})
		}
	}
}

func keep(t *testing.T, path string, max int64, in []byte, piece int) (Kept, []byte) {
	t.Helper()
	l, err := NewLog(path, max)
	if err != nil {
		t.Fatal(err)
	}
	for len(in) > 0 {
		n := min(piece, len(in))
		if m, err := l.Write(in[:n]); m != n || err != nil {
			t.Fatalf("wrote %d of %d: %v", m, n, err)
		}
		in = in[n:]
	}
	kept, err := l.Close()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil && (kept.Bytes > 0 || !errors.Is(err, fs.ErrNotExist)) {
		t.Fatal(err)
	}
	return kept, got
}

func checkKept(t *testing.T, in, got []byte, kept Kept, max int) {
	t.Helper()
	if len(in) <= max {
		if !bytes.Equal(in, got) || kept.Dropped != 0 {
			t.Errorf("kept %q and dropped %d, want all", got, kept.Dropped)
		}
		return
	}
	note := fmt.Sprintf("\n[failrate: %d bytes of output left out here]\n", kept.Dropped)
	head, tail, ok := strings.Cut(string(got), note)
	if !ok || len(got) != max {
		t.Fatalf("%d bytes %q lack the note %q", len(got), got, note)
	}
	if !strings.HasPrefix(string(in), head) || !strings.HasSuffix(string(in), tail) {
		t.Errorf("head %q or tail %q is wrong", head, tail)
	}
	if int64(len(in)) != int64(len(head)+len(tail))+kept.Dropped {
		t.Errorf("%d written is not %d + %d kept and %d dropped", len(in), len(head), len(tail), kept.Dropped)
	}
}

func TestLogOfTinyBound(t *testing.T) {
	t.Parallel()
	kept, got := keep(t, filepath.Join(t.TempDir(), "log"), 4, []byte("abcdefgh"), 1)
	if string(got) != "abgh" || kept.Dropped != 4 {
		t.Errorf("kept %q and dropped %d, want abgh and 4", got, kept.Dropped)
	}
}

func TestLogBeyondItsBuffers(t *testing.T) {
	t.Parallel()
	const max = 700_001
	in := text(3_000_003)
	kept, got := keep(t, filepath.Join(t.TempDir(), "log"), max, in, 32<<10)
	checkKept(t, in, got, kept, max)
}

func TestLogFollowsNoLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	precious := filepath.Join(dir, "precious")
	if err := os.WriteFile(precious, []byte("keep me"), 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "log")
	if err := os.Symlink(precious, path); err != nil {
		t.Fatal(err)
	}
	keep(t, path, 100, []byte("output"), 10)
	if b, err := os.ReadFile(precious); err != nil || string(b) != "keep me" {
		t.Errorf("the link's target is now %q (%v)", b, err)
	}
	if s, err := os.Lstat(path); err != nil || s.Mode() != 0o600 {
		t.Errorf("the log is %v (%v), want a file for the owner only", s.Mode(), err)
	}
}

func TestLogOnFullDisk(t *testing.T) {
	t.Parallel()
	f, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip("SKIPPED: there is no /dev/full here")
	}
	l := &Log{f: f, sum: sha256.New(), head: 50, max: 100}
	if n, err := l.Write([]byte("x")); n != 1 || err == nil {
		t.Errorf("took %d bytes with %v, want 1 and the failure", n, err)
	}
	if n, _ := l.Write([]byte("more")); n != 4 {
		t.Errorf("took %d bytes after the failure, want all 4", n)
	}
	if _, err := l.Close(); err == nil || !errors.Is(err, l.err) {
		t.Errorf("closed with %v, want the failure", err)
	}
}

func TestLogWithoutAFolder(t *testing.T) {
	t.Parallel()
	l, err := NewLog(filepath.Join(t.TempDir(), "missing", "log"), 100)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := l.Write([]byte("output")); n != 6 || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("took %d bytes with %v, want all and the failure", n, err)
	}
	if _, err := l.Close(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("closed with %v, want the failure", err)
	}
}

func TestLogOfNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, []byte("of another"), 0o600); err != nil {
		t.Fatal(err)
	}
	keep(t, path, 100, nil, 1)
	if _, err := os.Stat(path); err == nil {
		t.Error("what bore the name is still there")
	}
}

func TestLogNoticesReplacement(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(path string) error{
		"removed":  os.Remove,
		"replaced": func(path string) error { return os.Rename(path, path+".away") },
		"cut":      func(path string) error { return os.Truncate(path, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "log")
			l, err := NewLog(path, 100)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := l.Write([]byte("output")); err != nil {
				t.Fatal(err)
			}
			if err := spoil(path); err != nil {
				t.Fatal(err)
			}
			if _, err := l.Close(); err == nil {
				t.Error("closed without an error")
			}
		})
	}
}
