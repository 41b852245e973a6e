package faults

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fuzzed are the readers of files that come from outside, by the target that fuzzes each; make fuzz runs them all.
var fuzzed = map[string]string{
	"FuzzParse": "../study", "FuzzCheckPatch": "../study", "FuzzJUnit": "../classify", "FuzzGoTest": "../classify",
	"FuzzTAP": "../classify", "FuzzRecords": "../classify", "FuzzReplay": "../journal", "FuzzArchive": "../journal",
}

// TestFuzzSeeds counts the committed seeds of every target, so that none can move away unseen and leave a target that
// passes by trying nothing.
func TestFuzzSeeds(t *testing.T) {
	t.Parallel()
	for target, dir := range fuzzed {
		seeds, err := filepath.Glob(filepath.Join(dir, "testdata", "fuzz", target, "*"))
		if err != nil || len(seeds) < 8 {
			t.Errorf("%s has %d committed seeds, want at least 8 (%v)", target, len(seeds), err)
		}
		tests, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, path := range tests {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			found = found || strings.Contains(string(text), "func "+target+"(f *testing.F)")
		}
		if !found {
			t.Errorf("there is no %s in %s", target, dir)
		}
	}
}
