package study

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// FuzzParse: no bytes make the loader panic, every error has a place, and whatever loads is in the schema, is encoded
// again and loads equal.
func FuzzParse(f *testing.F) {
	judge := compiled(f)
	dir := absoluteFolder(f)
	f.Fuzz(func(t *testing.T, doc string) {
		s, err := Parse(FileName, []byte(doc), dir)
		if err != nil {
			var errs Errors
			if !errors.As(err, &errs) || len(errs) == 0 {
				t.Fatalf("not Errors: %v", err)
			}
			return
		}
		if schemaRefuses(judge, doc) {
			t.Fatal("it loads, but the schema refuses it")
		}
		out := again(t, s)
		if !reflect.DeepEqual(out, unplaced(s)) {
			t.Fatalf("loaded  %+v\nencoded %+v", unplaced(s), out)
		}
		before, err1 := s.Digest()
		after, err2 := out.Digest()
		if err1 != nil || err2 != nil || before != after {
			t.Fatalf("digests %s (%v) and %s (%v)", before, err1, after, err2)
		}
	})
}

// absoluteFolder is a folder that the seeds name files of.
func absoluteFolder(f *testing.F) string {
	f.Helper()
	dir, err := filepath.Abs(filepath.Join("testdata", "all-keys"))
	if err != nil {
		f.Fatal(err)
	}
	return dir
}

// FuzzCheckPatch: no bytes make the check panic, and no path that it lets through leaves the tree.
func FuzzCheckPatch(f *testing.F) {
	f.Fuzz(func(t *testing.T, patch string) {
		paths, err := CheckPatch(strings.NewReader(patch))
		if err == nil && len(paths) == 0 {
			t.Fatal("neither paths nor an error")
		}
		for _, p := range paths {
			if !filepath.IsLocal(p) || strings.Contains(p, "..") && strings.Contains("/"+p+"/", "/../") {
				t.Fatalf("path %q", p)
			}
		}
	})
}

// FuzzSplit: no line makes the splitter panic, and words that are quoted again split into the same words.
func FuzzSplit(f *testing.F) {
	f.Fuzz(func(t *testing.T, line string) {
		words, err := Split(line)
		if err != nil {
			return
		}
		var quoted []string
		for _, w := range words {
			quoted = append(quoted, "'"+strings.ReplaceAll(w, "'", `'\''`)+"'")
		}
		out, err := Split(strings.Join(quoted, " "))
		if err != nil || !reflect.DeepEqual(out, words) {
			t.Fatalf("%q became %q, then %q (%v)", line, words, out, err)
		}
	})
}

// A fuzz target whose seeds are gone passes without testing anything.
func TestSeedsAreThere(t *testing.T) {
	t.Parallel()
	for target, least := range map[string]int{"FuzzParse": 30, "FuzzCheckPatch": 8, "FuzzSplit": 12} {
		entries, err := os.ReadDir(filepath.Join("testdata", "fuzz", target))
		if err != nil {
			t.Error(err)
			continue
		}
		seeds := 0
		for _, e := range entries {
			data, err := os.ReadFile(filepath.Join("testdata", "fuzz", target, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(string(data), "go test fuzz v1\nstring(") {
				seeds++
			}
		}
		if seeds < least {
			t.Errorf("%s has %d seeds, want at least %d", target, seeds, least)
		}
	}
}
