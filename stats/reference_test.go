package stats

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// readReference decodes testdata/name, whose cases were made by the script named in the
// file, and fails when there are fewer than 30 of them.
func readReference[T any](t *testing.T, name string) []T {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Call     string
		Versions map[string]string
		Cases    []T
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if file.Call == "" || len(file.Versions) == 0 {
		t.Fatalf("%s does not say which call of which version made it", name)
	}
	if len(file.Cases) < 30 {
		t.Fatalf("%s has %d cases, want at least 30", name, len(file.Cases))
	}
	return file.Cases
}

// near says whether got is within the relative tolerance of want; two zeros and two
// equal infinities are near, NaN never is.
func near(got, want, tolerance float64) bool {
	return got == want || math.Abs(got-want) <= tolerance*math.Abs(want)
}
