package study

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestSize(t *testing.T) {
	t.Parallel()
	s := load(t, "testdata/all-keys")
	// 2 platforms × 4 stress levels × 3 delays × 1 value = 24 strata; 10 variants and 2 controls;
	// 24 × (10 × 20 + 2 × 7 + 2 × 5) trials of at most 1m30s + 2s
	want := Size{Cells: 24 * 12, Trials: 24 * 224, Longest: 24 * 224 * 92 * time.Second}
	if got := s.Size(); got != want {
		t.Errorf("size %+v, want %+v", got, want)
	}
}

func TestSizeLimits(t *testing.T) {
	t.Parallel()
	hour := time.Hour
	for name, c := range map[string]struct {
		size           Size
		warning, error string
	}{
		"usual":       {Size{10, 100_000, 100_000 * hour}, "", ""},
		"long":        {Size{10, 100_001, 100 * hour}, "100001 trials in 10 cells: one after another, up to 4 days", ""},
		"many trials": {Size{10, 1_000_001, 20_000 * hour}, "", "1000001 trials in 10 cells: one after another, up to 2 years (the limits are 1000000 trials and 10000 cells)"},
		"many cells":  {Size{10_001, 10_001, 2 * hour}, "", "10001 trials in 10001 cells: one after another, up to 2h0m0s (the limits are 1000000 trials and 10000 cells)"},
		"overflow":    {Size{math.MaxInt, math.MaxInt, math.MaxInt64}, "", "9223372036854775807 trials in 9223372036854775807 cells: one after another, up to centuries (the limits are 1000000 trials and 10000 cells)"},
	} {
		warning, err := c.size.Check()
		text := ""
		if err != nil {
			text = err.Error()
		}
		if warning != c.warning || text != c.error {
			t.Errorf("%s: warning %q, error %q; want %q and %q", name, warning, text, c.warning, c.error)
		}
	}
}

func TestSizeDoesNotOverflow(t *testing.T) {
	t.Parallel()
	s := parse(t, oneStudy, t.TempDir())
	s.Iterations = math.MaxInt
	for range 30 {
		s.Parameters = append(s.Parameters, Parameter{Values: make([]string, 10)})
	}
	want := Size{Cells: math.MaxInt, Trials: math.MaxInt, Longest: math.MaxInt64}
	if got := s.Size(); got != want {
		t.Errorf("size %+v, want %+v", got, want)
	}
}

func TestManyTrialsAreAWarning(t *testing.T) {
	t.Parallel()
	s := parse(t, oneStudy+"iterations: 200000\n", t.TempDir())
	if len(s.Warnings) != 1 || !strings.HasPrefix(s.Warnings[0], "200000 trials in 1 cells") {
		t.Errorf("warnings %q", s.Warnings)
	}
}
