package reports

import (
	"archive/zip"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/failrate/failrate/harness/journal"
)

// artifact makes a zip archive of journals, as a CI system does of folders.
func artifact(t testing.TB, journals map[string]string) string {
	t.Helper()
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for name, dir := range journals {
		w, err := z.Create(name + "/" + journal.FileName)
		if err != nil {
			t.Fatal(err)
		}
		data := []byte{}
		if dir != "" {
			if data, err = os.ReadFile(filepath.Join(dir, journal.FileName)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "artifact.zip")
	if err := os.WriteFile(file, buf.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestCampaignsInOneArtifactAreToldApart reads two campaigns, one of them twice, and a journal without a header from one
// archive: the table is that of the two folders.
func TestCampaignsInOneArtifactAreToldApart(t *testing.T) {
	t.Parallel()
	one, two := plainSpec("c1", 7, 40).write(t), plainSpec("c2", 8, 40).write(t)
	file := artifact(t, map[string]string{"a/s/c1": one, "b/s/c2": two, "c/s/c1": one, "d/s/c3": ""})
	table := func(paths ...string) (*Table, string) {
		t.Helper()
		got, err := Read(paths)
		if err != nil {
			t.Fatal(err)
		}
		return got, string(render(t, func(b *bytes.Buffer) error { return JSON(b, got) }))
	}
	got, text := table(file)
	if len(got.Campaigns) != 2 || got.Campaigns[0].ID != "c1" || got.Campaigns[1].ID != "c2" {
		t.Fatalf("the campaigns are %+v", got.Campaigns)
	}
	apart, want := table(one, two)
	if a, b := cellsOf(got), cellsOf(apart); a != b {
		t.Errorf("from the archive:\n%s\nfrom folders:\n%s", a, b)
	}
	if !strings.Contains(text, "d/s/c3") || strings.Contains(want, "d/s/c3") {
		t.Error("the journal without a header is not mentioned")
	}
}

func cellsOf(t *Table) string {
	var b strings.Builder
	for s, c := range t.cellsOf() {
		b.WriteString(s.ID + " " + c.Variant + " " + intervalText(*c) + "\n")
	}
	return b.String()
}

// TestTornArtifacts cuts an archive short at many places, its central directory and its entries: each is refused in one
// line with the next step, whatever is in the folder beside it, and the archive stays as it was.
func TestTornArtifacts(t *testing.T) {
	t.Parallel()
	file := artifact(t, map[string]string{"a/s/c1": plainSpec("c1", 7, 5).write(t)})
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(whole); n += 1 + len(whole)/97 {
		if err := os.WriteFile(file, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Open([]string{filepath.Dir(file)})
		var hint interface{ Hint() string }
		if err == nil || !errors.As(err, &hint) || !strings.Contains(hint.Hint(), "download it again") || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), file) {
			t.Fatalf("cut to %d of %d bytes: %v", n, len(whole), err)
		}
		if left, err := os.ReadFile(file); err != nil || !bytes.Equal(left, whole[:n]) {
			t.Fatalf("cut to %d bytes, the archive was changed: %v", n, err)
		}
	}
}
