package journal

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"

	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// entry of a zip archive to be made.
type zipped struct {
	name string
	data []byte
	mode fs.FileMode
	raw  bool // not compressed
}

func archive(t testing.TB, path string, entries ...zipped) string {
	t.Helper()
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		if e.raw {
			h.Method = zip.Store
		}
		if e.mode != 0 {
			h.SetMode(e.mode)
		}
		w, err := z.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(e.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, buf.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFindLooksWhereResultsAre(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, dir := range []string{"a", "b/s/c1", "b/s/c2", "deep/1/2/3", "too/deep/1/2/3", "a/artifacts/x"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, dir, FileName), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	archive(t, filepath.Join(root, "b", "d.ZIP"), zipped{name: "s/c3/" + FileName}, zipped{name: "s/c3/artifacts/x/" + FileName}, zipped{name: "logs/x.log"})
	archive(t, filepath.Join(root, "b", "logs.zip"), zipped{name: "x.log"})
	if err := os.Symlink(filepath.Join(root, "a"), filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	sources, err := Find(root, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range sources {
		got = append(got, strings.TrimPrefix(s.String(), root+"/"))
	}
	want := []string{"a/" + FileName, "b/d.ZIP:s/c3/" + FileName, "b/s/c1/" + FileName, "b/s/c2/" + FileName, "deep/1/2/3/" + FileName}
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	if one, err := Find(filepath.Join(root, "a", FileName), Limits{}); err != nil || len(one) != 1 {
		t.Errorf("a journal by itself: %v, %v", one, err)
	}
	if one, err := Find(filepath.Join(root, "link"), Limits{}); err != nil || len(one) != 1 {
		t.Errorf("a link that the user gave: %v, %v", one, err)
	}
}

func TestFindSaysWhenThereIsNothing(t *testing.T) {
	t.Parallel()
	empty, other := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "x.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	inner := archive(t, filepath.Join(other, "inner"), zipped{name: FileName})
	data, err := os.ReadFile(inner)
	if err != nil {
		t.Fatal(err)
	}
	nested := archive(t, filepath.Join(t.TempDir(), "nested.zip"), zipped{name: "shard-1.zip", data: data})
	for path, want := range map[string]string{empty: "the folder is empty", other: "no journal.jsonl in it", nested: "no journal.jsonl in it"} {
		_, err := Find(path, Limits{})
		var hinted interface{ Hint() string }
		if !errors.Is(err, ErrNone) || !strings.Contains(err.Error(), want) || !errors.As(err, &hinted) || !strings.Contains(hinted.Hint(), "unpacked first") {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	if _, err := Find(filepath.Join(other, "x.txt"), Limits{}); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "not a usable archive") {
		t.Errorf("a text file: %v", err)
	}
	if _, err := Find(filepath.Join(empty, "no"), Limits{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a path that is not there: %v", err)
	}
}

func TestArchivesAreReadAsTheyAre(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp) // which a parallel test may not
	dirs := shards(t, testHeader(7), 3)
	want := results(t, dirs...)
	root := t.TempDir()
	archive(t, filepath.Join(root, "shard-1.zip"), zipped{name: FileName, data: read(t, dirs[0])}, zipped{name: "logs/a.log", data: []byte("x")})
	archive(t, filepath.Join(root, "others.zip"), zipped{name: "two/s/c/" + FileName, data: read(t, dirs[1])}, zipped{name: "three/" + FileName, data: read(t, dirs[2])})
	m := merged(t, root)
	if len(m.Journals) != 3 || m.Journals[1].Source.Folder() != "" || m.Partial {
		t.Errorf("journals %+v", m.Journals)
	}
	if got := results(t, root); !slices.Equal(got, want) {
		t.Errorf("archives give %d trials, folders %d", len(got), len(want))
	}
	if got := results(t, append(dirs, root)...); !slices.Equal(got, want) {
		t.Errorf("archives and folders together give %d trials, not %d", len(got), len(want))
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("unpacking left %v, %v", left, err)
	}
}

func TestHostileArchivesAreRefused(t *testing.T) {
	t.Parallel()
	good := encoded(t, testHeader(3), start(id1))
	for name, c := range map[string]struct {
		entries []zipped
		want    string
	}{
		"traversal":          {[]zipped{{name: "../../" + FileName, data: good}}, "leads out of the archive"},
		"hidden traversal":   {[]zipped{{name: FileName, data: good}, {name: "a/../../" + FileName, data: good}}, "leads out of the archive"},
		"absolute":           {[]zipped{{name: "/etc/" + FileName, data: good}}, "leads out of the archive"},
		"backslash":          {[]zipped{{name: `..\..\x/` + FileName, data: good}}, "leads out of the archive"},
		"link":               {[]zipped{{name: FileName, data: []byte("/etc/passwd"), mode: fs.ModeSymlink | 0o777}}, "not a regular file"},
		"pipe":               {[]zipped{{name: FileName, mode: fs.ModeNamedPipe | 0o600}}, "not a regular file"},
		"twice":              {[]zipped{{name: FileName, data: good}, {name: FileName, data: good}}, "twice"},
		"twice, spelt apart": {[]zipped{{name: "a/" + FileName, data: good}, {name: "a/./" + FileName, data: good}}, "twice"},
		"bomb":               {[]zipped{{name: FileName, data: make([]byte, 3<<19)}}, "more than 200 times its size"},
		"too long":           {[]zipped{{name: FileName, data: noise(3 << 20), raw: true}}, "longer than 2097152 bytes"},
		"too long in sum":    {[]zipped{{name: "a/" + FileName, data: noise(3 << 19), raw: true}, {name: "b/" + FileName, data: noise(3 << 19), raw: true}}, "longer than 2097152 bytes"},
		"too many":           {[]zipped{{name: "a/" + FileName}, {name: "b/" + FileName}, {name: "c/" + FileName}, {name: "d/" + FileName}}, "4 journals, more than 3"},
	} {
		path := archive(t, filepath.Join(t.TempDir(), "x.zip"), c.entries...)
		if _, err := Find(path, Limits{Bytes: 2 << 20, Journals: 3}); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if _, err := merge(t, archive(t, filepath.Join(t.TempDir(), "x.zip"), zipped{name: FileName, data: []byte("no journal\n")})); !errors.Is(err, ErrDamaged) {
		t.Errorf("an archive of nonsense: %v", err)
	}
}

// noise is bytes that do not compress.
func noise(n int) []byte {
	out := make([]byte, n)
	x := uint64(88172645463325252)
	for i := range out {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		out[i] = byte(x)
	}
	return out
}

// An archive whose directory says one size and whose data has another.
func TestArchivesThatLieAboutTheirSizes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := noise(1 << 20)
	path := archive(t, filepath.Join(dir, "x.zip"), zipped{name: FileName, data: data})
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	directory := bytes.LastIndex(raw, []byte("PK\x01\x02"))
	for name, at := range map[string]int{"unpacked size": directory + 24, "checksum": directory + 16, "packed size": directory + 20} {
		lie := slices.Clone(raw)
		copy(lie[at:], []byte{7, 0, 0, 0})
		path := filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+".zip")
		if err := os.WriteFile(path, lie, 0o600); err != nil {
			t.Fatal(err)
		}
		sources, err := Find(path, Limits{})
		if err == nil {
			_, err = Merge(sources, Limits{})
		}
		if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "not a usable archive") {
			t.Errorf("%s: %v", name, err)
		}
	}
	sources := []Source{{Path: path, Entry: FileName}}
	if _, err := Merge(sources, Limits{Bytes: 1000}); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "longer than 1000 bytes") {
		t.Errorf("past the limit while unpacking: %v", err)
	}
	if _, err := Merge([]Source{{Path: path, Entry: "other/" + FileName}}, Limits{}); !errors.Is(err, ErrRefused) {
		t.Errorf("an entry that is gone: %v", err)
	}
}

func TestNamesInArchivesDoNothingInMessages(t *testing.T) {
	t.Parallel()
	path := archive(t, filepath.Join(t.TempDir(), "x.zip"), zipped{name: "\x1b[2J\n/" + FileName, data: []byte("nonsense\n")})
	_, err := merge(t, path)
	if !errors.Is(err, ErrDamaged) || strings.ContainsAny(err.Error(), "\x1b\n") || !strings.Contains(err.Error(), `\x1b[2J\n/`) {
		t.Errorf("the message is %q", err)
	}
}

func TestFindIgnoresPipesAndLinksOnItsWay(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(root, "pipe.zip"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(root, filepath.Join(root, "loop")); err != nil {
		t.Fatal(err)
	}
	if _, err := Find(root, Limits{}); !errors.Is(err, ErrNone) {
		t.Errorf("a folder with a pipe and a loop: %v", err)
	}
}

func FuzzArchive(f *testing.F) {
	h := testHeader(2)
	good := encoded(f, h, start(id1))
	dir := f.TempDir()
	for i, entries := range [][]zipped{
		{{name: FileName, data: good}},
		{{name: "a/" + FileName, data: good}, {name: "b/" + FileName, data: good[:len(good)-9]}},
		{{name: "../" + FileName, data: good}},
		{{name: FileName, data: []byte("/etc/passwd"), mode: fs.ModeSymlink}},
		{{name: FileName, data: make([]byte, 4<<20)}},
	} {
		data, err := os.ReadFile(archive(f, filepath.Join(dir, fmt.Sprint(i)), entries...))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "x.zip")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		sources, err := Find(path, Limits{Bytes: 8 << 20})
		if err != nil {
			return
		}
		m, err := Merge(sources, Limits{Bytes: 8 << 20})
		if err != nil {
			return
		}
		if err := m.Each(func(tr *Trial) error { _, err := tr.Finished(); _ = err; return nil }); err != nil {
			t.Errorf("a merge that succeeded cannot be read: %v", err)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
}
