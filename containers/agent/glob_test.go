package agent

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, f := range []string{"a.xml", "b/a.xml", "b/c/d/TEST-x.xml", "b/c/d/x.txt", "b/[x].xml", ".hidden/a.xml"} {
		p := filepath.Join(dir, f)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"loop": ".", "l.xml": "a.xml"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for pattern, want := range map[string][]string{
		"*.xml":            {"a.xml", "l.xml"},
		"./b/*.xml":        {"b/[x].xml", "b/a.xml"},
		"**/*.xml":         {"a.xml", "l.xml", ".hidden/a.xml", "b/[x].xml", "b/a.xml", "b/c/d/TEST-x.xml"},
		"**/**/a.xml":      {"a.xml", ".hidden/a.xml", "b/a.xml"},
		"b/**/TEST-*.xml":  {"b/c/d/TEST-x.xml"},
		"b/**":             {"b/[x].xml", "b/a.xml", "b/c/d/TEST-x.xml", "b/c/d/x.txt"},
		"b/c":              nil, // a folder
		"b/\\[x\\].xml":    {"b/[x].xml"},
		"[^a].xml":         {"l.xml"},
		"../*":             nil,
		"/*":               nil,
		"b/../../*":        nil,
		"[":                nil,
		"nowhere/**/*.xml": nil,
		"loop/*.xml":       nil,
	} {
		got := slices.Collect(Match(dir, pattern))
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", pattern, got, want)
		}
	}
	for range Match(dir, "**") { // ends when its user does
		break
	}
}
