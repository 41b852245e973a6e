package stress

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Level is how much load to hold and where. The zero value is no load.
type Level struct {
	CPU     float64 // busy workers per core, 2 for 2x, at most 64; 0 means that Workers says it. Part of a worker rounds up
	Workers int     // busy workers in all, at most 4096; 0 means that CPU says it
	Duty    float64 // share of the time a worker is busy, 0.0001 to 1; 0 means 1
	Burst   bool    // busy only around the moments that the subject announces; see the package comment
	Place   Place   // empty means Beside
	Quota   Quota   // a limit for the subject's container; carried, never applied here
}

// Place says where the workers run.
type Place string

// The places.
const (
	Beside Place = "beside" // in a process of their own on this host
	Inside Place = "inside" // in the subject's container, under its limits, by a program there that calls Worker
)

// Quota limits the subject instead of loading the machine.
type Quota struct {
	CPUs float64 // cores of CPU time per second; 0 means no quota
}

// The largest and smallest values of a level: more than any machine takes, and the least that a text can say.
const (
	maxCPU     = 64
	minCPU     = 0.001
	maxWorkers = 4096
	minDuty    = 0.0001
	maxQuota   = 1e4
	minQuota   = 0.001
)

// None reports whether the level asks for nothing at all.
func (l Level) None() bool { return l.CPU == 0 && l.Workers == 0 && l.Quota.CPUs == 0 }

// Count is the number of busy workers on a machine, or in a container, with that many cores.
func (l Level) Count(cores int) int {
	if l.Workers > 0 {
		return l.Workers
	}
	const slack = 1e-9 // 0.1x of 30 cores is 3 workers, although 0.1*30 > 3 in floating point
	return int(math.Ceil(l.CPU*float64(max(cores, 1)) - slack))
}

// Validate says what is wrong with a level that was not made by ParseLevel; nil means nothing.
func (l Level) Validate() error {
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if !within(l.CPU, minCPU, maxCPU) {
		wrong("cpu %v is not between %vx and %vx", l.CPU, minCPU, maxCPU)
	}
	if l.Workers < 0 || l.Workers > maxWorkers {
		wrong("workers %d is not between 1 and %d", l.Workers, maxWorkers)
	}
	if l.CPU != 0 && l.Workers != 0 {
		wrong("cpu and workers both say how many workers there are: give one")
	}
	if !within(l.Duty, minDuty, 1) {
		wrong("duty %v is not between %v%% and 100%%", l.Duty, minDuty*100)
	}
	if !within(l.Quota.CPUs, minQuota, maxQuota) {
		wrong("quota %v is not between %v and %v cores", l.Quota.CPUs, minQuota, maxQuota)
	}
	switch l.Place {
	case "", Beside, Inside:
	default:
		wrong("place %q is neither %q nor %q", l.Place, Beside, Inside)
	}
	if l.CPU == 0 && l.Workers == 0 && (l.Duty != 0 || l.Burst) {
		wrong("duty and burst need workers: give cpu or workers")
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("stress level: %w", err)
	}
	return nil
}

// within reports whether v is zero, which stands for the default, or inside the bounds. NaN is not.
func within(v, low, high float64) bool { return v == 0 || v >= low && v <= high }

// String gives the level in words that ParseLevel reads, such as "cpu 2x duty 50% burst inside"; "none" for no load.
func (l Level) String() string {
	if l.None() {
		return "none"
	}
	var words []string
	if l.CPU != 0 {
		words = append(words, "cpu", decimal(l.CPU)+"x")
	}
	if l.Workers != 0 {
		words = append(words, "workers", strconv.Itoa(l.Workers))
	}
	if l.Duty != 0 && l.Duty != 1 {
		words = append(words, "duty", decimal(l.Duty*100)+"%")
	}
	if l.Burst {
		words = append(words, "burst")
	}
	if l.Place != "" && l.Place != Beside {
		words = append(words, string(l.Place))
	}
	if l.Quota.CPUs != 0 {
		words = append(words, "quota", decimal(l.Quota.CPUs))
	}
	return strings.Join(words, " ")
}

// decimal writes v with at most six decimals, without exponent.
func decimal(v float64) string {
	return strconv.FormatFloat(math.Round(v*1e6)/1e6, 'f', -1, 64)
}
