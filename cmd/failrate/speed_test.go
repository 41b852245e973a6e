package main

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"
)

// BenchmarkCampaign compares a whole campaign of a program that does nothing (one job, journal on, every default) with
// golang.org/x/tools/cmd/stress on the same program and as often. Both are built first, and take turns, so that a busy
// machine slows both alike. x-stress is the median over the pairs of the ratio of their times, from start to exit:
// starting up and the table are in it. x-cpu is the same of their CPU time, which the machine's load moves less.
func BenchmarkCampaign(b *testing.B) {
	const (
		runs    = 2000
		pairs   = 5
		program = "/bin/true"
	)
	bin := b.TempDir()
	failrate, stress := filepath.Join(bin, "failrate"), filepath.Join(bin, "stress")
	timed(b, "go", "build", "-o", failrate, ".")
	timed(b, "go", "build", "-modfile=../../.github/tools/go.mod", "-o", stress, "golang.org/x/tools/cmd/stress")
	b.Setenv("FAILRATE_CACHE", b.TempDir())
	var ours, theirs time.Duration
	var wall, cpu []float64
	for b.Loop() {
		for range pairs {
			o, ocpu := timed(b, failrate, "measure", "-n", strconv.Itoa(runs), "-c", "a="+program, "--jobs", "1",
				"--on", "native", "--stress", "none", "--results", b.TempDir())
			t, tcpu := timed(b, stress, "-p", "1", "-count", strconv.Itoa(runs), program)
			ours, theirs = ours+o, theirs+t
			wall, cpu = append(wall, o.Seconds()/t.Seconds()), append(cpu, ocpu.Seconds()/tcpu.Seconds())
		}
	}
	trials := float64(runs * len(wall))
	b.ReportMetric(float64(ours.Microseconds())/trials, "µs/trial")
	b.ReportMetric(float64(theirs.Microseconds())/trials, "µs/stress")
	b.ReportMetric(median(wall), "x-stress")
	b.ReportMetric(median(cpu), "x-cpu")
}

// timed runs a program to its end, and gives how long that took and the CPU time of it and its children.
func timed(b *testing.B, name string, args ...string) (wall, cpu time.Duration) {
	b.Helper()
	begun := time.Now()
	c := exec.CommandContext(b.Context(), name, args...)
	out, err := c.CombinedOutput()
	wall = time.Since(begun)
	if err != nil {
		b.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return wall, c.ProcessState.UserTime() + c.ProcessState.SystemTime()
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
