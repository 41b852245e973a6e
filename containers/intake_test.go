package containers

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/failrate/failrate/harness/trial"
)

// entry is one file of a tar that a hostile container sends.
type entry struct {
	name string
	kind byte
	text string
	size int64 // claimed; 0 means that of the text
}

func TestIntake(t *testing.T) {
	t.Parallel()
	many := make([]entry, maxEntries+1)
	for i := range many {
		many[i] = entry{name: fmt.Sprintf("artifacts/%d", i)}
	}
	for _, c := range []struct {
		name    string
		entries []entry
		want    []string // files that are there afterwards
		wrong   string   // part of the error
	}{
		{name: "all-kinds", entries: []entry{
			{name: "records.jsonl", text: "{}"}, {name: "artifacts/a/b.txt", text: "1"}, {name: "results/x/r.xml", text: "<r/>"},
		}, want: []string{"artifacts/a/b.txt", "records.jsonl", "results/x/r.xml"}},
		{name: "unwanted-result", entries: []entry{{name: "results/x/r.txt", text: "no"}}},
		{name: "up-and-out", entries: []entry{{name: "artifacts/../../escape", text: "x"}}, wrong: "leaves the artifacts folder"},
		{name: "absolute", entries: []entry{{name: "artifacts//etc/escape", text: "x"}}, wrong: "leaves the artifacts folder"},
		{name: "result-up-and-out", entries: []entry{{name: "results/../../x.xml", text: "x"}}},
		{name: "elsewhere", entries: []entry{{name: "escape", text: "x"}}, wrong: "has no place"},
		{name: "root", entries: []entry{{name: "/etc/escape", text: "x"}}, wrong: "has no place"},
		{name: "link", entries: []entry{{name: "artifacts/l", kind: tar.TypeSymlink, text: "/etc/passwd"}}, wrong: "not a regular file"},
		{name: "hard-link", entries: []entry{{name: "artifacts/l", kind: tar.TypeLink, text: "/etc/passwd"}}, wrong: "not a regular file"},
		{name: "device", entries: []entry{{name: "artifacts/d", kind: tar.TypeChar}}, wrong: "not a regular file"},
		{name: "folder", entries: []entry{{name: "artifacts/d/", kind: tar.TypeDir}}, wrong: "not a regular file"},
		{name: "bomb", entries: []entry{{name: "artifacts/big", size: 1 << 50}}, wrong: "beyond the bounds"},
		{name: "two-halves", entries: []entry{{name: "artifacts/a", size: 600_000}, {name: "artifacts/b", size: 600_000}}, wrong: "beyond the bounds"},
		{name: "many", entries: many, wrong: "beyond the bounds"},
		{name: "twice", entries: []entry{{name: "artifacts/a", text: "1"}, {name: "artifacts/a", text: "2"}}, wrong: "exists"},
		{name: "file-as-folder", entries: []entry{{name: "artifacts/a", text: "1"}, {name: "artifacts/a/b", text: "2"}}, wrong: "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			dir := filepath.Join(root, "deep", "out")
			if err := os.MkdirAll(filepath.Join(dir, "results"), 0o700); err != nil {
				t.Fatal(err)
			}
			in := newIntake(trial.Request{Results: "**/*.xml", Out: trial.Output{
				Records: filepath.Join(dir, "records.jsonl"), Artifacts: filepath.Join(dir, "artifacts"), Results: filepath.Join(dir, "results"),
			}}, 1_000_000)
			for piece := range slices.Chunk(tarOf(t, c.entries), 1000) {
				if in.write(piece) != nil {
					break // it has refused the rest
				}
			}
			_, err := in.close()
			if c.wrong == "" && err != nil || c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
				t.Errorf("error %v, want %q in it", err, c.wrong)
			}
			got := filesBelow(t, root)
			for _, f := range got {
				if !strings.HasPrefix(f, "deep/out/") {
					t.Errorf("%s is outside", f)
				}
			}
			if c.wrong == "" && !slices.Equal(got, prefixed("deep/out/", c.want)) {
				t.Errorf("files %q, want %q", got, c.want)
			}
		})
	}
}

func TestIntakeOfDamage(t *testing.T) {
	t.Parallel()
	whole := tarOf(t, []entry{{name: "artifacts/a", text: strings.Repeat("x", 3000)}})
	for n := 0; n < 3500; n += 61 { // the file ends at 3512
		in := newIntake(trial.Request{Out: trial.Output{Artifacts: filepath.Join(t.TempDir(), "a")}}, 1_000_000)
		_ = in.write(whole[:n])
		if _, err := in.close(); n > 0 && err == nil {
			t.Fatalf("a tar that ends after %d bytes of a file was taken", n)
		}
	}
}

func FuzzIntake(f *testing.F) {
	f.Add(tarOf(f, []entry{{name: "records.jsonl", text: "{}"}, {name: "artifacts/a/b", text: "1"}, {name: "results/r.xml", text: "x"}}))
	f.Add(tarOf(f, []entry{{name: "artifacts/../../x", text: "1"}}))
	f.Add(tarOf(f, []entry{{name: "artifacts/l", kind: tar.TypeSymlink, text: "../.."}, {name: "artifacts/l/x", text: "1"}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		root := t.TempDir()
		dir := filepath.Join(root, "out")
		if err := os.MkdirAll(filepath.Join(dir, "results"), 0o700); err != nil {
			t.Fatal(err)
		}
		in := newIntake(trial.Request{Results: "*.xml", Out: trial.Output{
			Records: filepath.Join(dir, "records.jsonl"), Artifacts: filepath.Join(dir, "artifacts"), Results: filepath.Join(dir, "results"),
		}}, 1<<20)
		_ = in.write(b)
		_, _ = in.close()
		for _, f := range filesBelow(t, root) {
			if !strings.HasPrefix(f, "out/") {
				t.Errorf("%q is outside", f)
			}
		}
	})
}

func tarOf(t testing.TB, entries []entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Typeflag: e.kind, Mode: 0o644, Size: int64(len(e.text))}
		switch {
		case e.kind == 0:
			h.Typeflag = tar.TypeReg
		case e.kind == tar.TypeSymlink, e.kind == tar.TypeLink:
			h.Linkname, h.Size = e.text, 0
		}
		if e.size > 0 {
			h.Size = e.size
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			if _, err := w.Write(append([]byte(e.text), make([]byte, min(max(0, h.Size-int64(len(e.text))), 1<<20))...)); err != nil {
				t.Fatal(err)
			}
		}
		if e.size > 1<<20 {
			return b.Bytes() // nobody sends the rest of a bomb
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func filesBelow(t testing.TB, root string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var name string
			name, err = filepath.Rel(root, p)
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func prefixed(prefix string, names []string) (out []string) {
	for _, n := range names {
		out = append(out, prefix+n)
	}
	return out
}
