package stress

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Throttled is what a cgroup's CPU quota has done since the cgroup was made, or during a window.
type Throttled struct {
	Periods   int64         `json:"periods"`   // quota periods in which the group had something to run; 0 without a quota
	Throttled int64         `json:"throttled"` // those in which it used up its quota and had to wait
	Time      time.Duration `json:"time_ns"`   // time that the group's CPUs waited, added up over CPUs
}

// ErrNoQuotaCounters says that a cgroup has no counters of a CPU quota: it is a root, or its CPU controller is off.
var ErrNoQuotaCounters = errors.New("no CPU quota counters")

// ReadThrottle reads cpu.stat in a cgroup's folder, version 1 (/sys/fs/cgroup/cpu/…) or 2 (/sys/fs/cgroup/…). The
// file goes with the cgroup: for a container it must be read before the container has ended.
func ReadThrottle(folder string) (Throttled, error) {
	path := filepath.Join(folder, "cpu.stat")
	b, err := os.ReadFile(path)
	if err != nil {
		return Throttled{}, fmt.Errorf("read CPU throttling: %w", err)
	}
	t, err := parseThrottle(string(b))
	if err != nil {
		return Throttled{}, fmt.Errorf("read CPU throttling from %s: %w", path, err)
	}
	return t, nil
}

// Since gives what was added after before was read.
func (t Throttled) Since(before Throttled) Throttled {
	return Throttled{
		Periods:   t.Periods - before.Periods,
		Throttled: t.Throttled - before.Throttled,
		Time:      t.Time - before.Time,
	}
}

// parseThrottle reads the counters of both versions: version 1 counts the time in nanoseconds, version 2 in
// microseconds under another name. A key that it does not know is left alone.
func parseThrottle(text string) (t Throttled, err error) {
	found := false
	for line := range strings.Lines(text) {
		key, digits, _ := strings.Cut(strings.TrimSpace(line), " ")
		unit := time.Duration(1)
		var to *int64
		switch key {
		case "nr_periods":
			to, found = &t.Periods, true
		case "nr_throttled":
			to = &t.Throttled
		case "throttled_time":
			to = (*int64)(&t.Time)
		case "throttled_usec":
			to, unit = (*int64)(&t.Time), time.Microsecond
		default:
			continue
		}
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil {
			return Throttled{}, fmt.Errorf("%s: %w", key, err)
		}
		*to = n * int64(unit)
	}
	if !found {
		return Throttled{}, ErrNoQuotaCounters
	}
	return t, nil
}
