package stress

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"
	"time"
)

func TestReadThrottleFromCapturedFiles(t *testing.T) {
	t.Parallel()
	for folder, want := range map[string]Throttled{
		"v1-half": {Periods: 30, Throttled: 2, Time: 19339068 * time.Nanosecond},
		"v2-half": {Periods: 35, Throttled: 31, Time: 1561889 * time.Microsecond},
		"v2-none": {},
	} {
		if got, err := ReadThrottle(filepath.Join("testdata", folder)); err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", folder, got, err, want)
		}
	}
	if _, err := ReadThrottle("testdata/v2-no-controller"); !errors.Is(err, ErrNoQuotaCounters) {
		t.Errorf("a group without CPU controller: error %v, want %v", err, ErrNoQuotaCounters)
	}
	if _, err := ReadThrottle("testdata/nowhere"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no such group: error %v, want %v", err, fs.ErrNotExist)
	}
}

func TestParseThrottleRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "nr_periods\n", "nr_periods x\n", "nr_periods 1\nnr_throttled 1 2\n", "nr_periods 99999999999999999999\n"} {
		if got, err := parseThrottle(text); err == nil {
			t.Errorf("%q is %+v", text, got)
		}
	}
}
