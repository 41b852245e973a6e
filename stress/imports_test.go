package stress

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestOnlyTheStandardLibraryOnLinux: the program that holds a level inside containers is compiled where no module is at hand.
func TestOnlyTheStandardLibraryOnLinux(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d source files, %v", len(files), err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_darwin.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range f.Imports {
			if first, _, _ := strings.Cut(strings.Trim(spec.Path.Value, `"`), "/"); strings.Contains(first, ".") {
				t.Errorf("%s imports %s", file, spec.Path.Value)
			}
		}
	}
}
