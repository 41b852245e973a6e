// Package harness holds no code: its folders are the pipeline. This test keeps the house in order.
package harness

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/failrate/failrate/"

// allowed lists what each package may import of ours. Data goes down the pipeline; nothing imports what comes later.
var allowed = map[string][]string{
	"stats":                 {},
	"stress":                {},
	"harness/steps":         {}, // the language of subjects without a script; the study holds it, a trial's process runs it
	"harness/study":         {"harness/steps"},
	"harness/plan":          {"harness/study"},
	"harness/trial/tree":    {}, // folders of files, for everything that copies or digests one
	"harness/trial/process": {"harness/trial/tree"},
	"harness/mask":          {}, // secrets of an environment, hidden in whatever is written down
	"harness/subject":       {"harness/study", "harness/mask", "harness/trial/process", "harness/trial/tree"},
	"harness/trial":         {"harness/study", "harness/plan", "harness/trial/process", "harness/trial/tree"},
	"harness/service":       {"harness/steps", "harness/study", "harness/trial", "harness/trial/process", "harness/trial/tree"}, // around every executor
	"containers":            {"harness/steps", "harness/service", "harness/study", "harness/plan", "harness/trial", "harness/trial/process", "harness/trial/tree"},
	"harness/classify":      {"harness/study", "harness/trial"},
	"harness/journal":       {"harness/plan", "harness/trial", "harness/classify"},
	"harness/campaign":      {"harness/steps", "harness/study", "harness/mask", "harness/plan", "harness/trial", "harness/classify", "harness/journal", "stats", "stress"},
	"reports":               {"harness/study", "harness/plan", "harness/classify", "harness/journal", "stats"},
	"reports/trackers":      {"reports"},
	"harness/faults":        {}, // tests alone, and the subject that they run: they meet the product from outside
	"variants":              {},
}

// TestImports parses every file that is not a test and checks its imports against the table.
func TestImports(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && file != root || d.Name() == "testdata" || d.Name() == "results") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(rel)
		seen[pkg] = true
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range f.Imports {
			if name := strings.Trim(spec.Path.Value, `"`); strings.HasPrefix(name, module) {
				check(t, file, pkg, strings.TrimPrefix(name, module))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range allowed {
		if !seen[pkg] {
			t.Errorf("the table has a row for %s, and there is no such package", pkg)
		}
	}
}

func check(t *testing.T, file, from, to string) {
	t.Helper()
	if strings.HasPrefix(from, "cmd/") || from == to {
		return // the command line wires everything
	}
	if strings.HasPrefix(from, "variants") && strings.HasPrefix(to, "variants/internal") {
		return // subjects share their own parts
	}
	row, known := ruleFor(from)
	if !known {
		t.Errorf("%s: package %s has no row in the table of this test", file, from)
		return
	}
	if !slices.Contains(row, to) && !strings.HasPrefix(to, from+"/") && !strings.HasPrefix(from, to+"/") {
		t.Errorf("%s: %s must not import %s; it may import %q", file, from, to, row)
	}
}

// ruleFor finds the row of a package or of the nearest folder above it.
func ruleFor(pkg string) ([]string, bool) {
	for p := pkg; p != "."; p = path.Dir(p) {
		if row, ok := allowed[p]; ok {
			return row, true
		}
	}
	return nil, false
}
