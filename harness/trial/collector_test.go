package trial

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestCollectorWants(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		glob, name string
		want       bool
	}{
		{"*.xml", "a.xml", true},
		{"*.xml", "sub/a.xml", false},
		{"./build/*.xml", "build/a.xml", true},
		{"**/test-results/**/*.xml", "solr/core/build/test-results/test/a.xml", true},
		{"{a,b}/*.xml", "b/x.xml", true},
		{"**", "../a.xml", false},
		{"**", "/etc/passwd", false},
		{"**", "a/../../b", false},
	} {
		k, err := NewCollector(c.glob, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if got := k.Wants(c.name); got != c.want {
			t.Errorf("%q wants %q: %t, want %t", c.glob, c.name, got, c.want)
		}
	}
	for _, glob := range []string{"/etc/*", "../*.xml", "a/../../*", "[", "{a"} {
		if _, err := NewCollector(glob, t.TempDir()); err == nil {
			t.Errorf("the glob %q was accepted", glob)
		}
	}
}

func TestCollectorStaysInItsFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	into := filepath.Join(dir, "into")
	if err := errors.Join(os.Mkdir(into, 0o700), os.Symlink("..", filepath.Join(into, "up"))); err != nil {
		t.Fatal(err)
	}
	c, err := NewCollector("**", into)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"../out", "/etc/out", "up/out", ".."} {
		if err := c.Add(name, 1, strings.NewReader("x")); err == nil {
			t.Errorf("%q was written", name)
		}
	}
	if names, err := c.Close(); len(names) > 0 || err != nil {
		t.Errorf("collected %q (%v)", names, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("beside the folder: %v (%v)", left, err)
	}
}

func TestCollectorBounds(t *testing.T) {
	t.Parallel()
	into := t.TempDir()
	c, err := NewCollector("**", into)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Add("big", MaxResultBytes+1, strings.NewReader("")); err == nil {
		t.Error("a file above the bound was accepted")
	}
	if err := c.Add("short", 5, strings.NewReader("abc")); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a file that is shorter than said: %v", err)
	}
	if err := c.Add("long", 2, strings.NewReader("abc")); err != nil {
		t.Error(err)
	}
	for i := range MaxResultFiles - 1 {
		if err := c.Add("n/"+strconv.Itoa(i), 1, strings.NewReader("x")); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Add("n/last", 1, strings.NewReader("x")); err == nil {
		t.Error("a file too many was accepted")
	}
	names, err := c.Close()
	if err != nil || len(names) != MaxResultFiles || !slices.IsSorted(names) {
		t.Errorf("%d names, sorted: %t (%v)", len(names), slices.IsSorted(names), err)
	}
	if b, err := os.ReadFile(filepath.Join(into, "long")); err != nil || string(b) != "ab" {
		t.Errorf("a file that grew was copied as %q (%v)", b, err)
	}
}
