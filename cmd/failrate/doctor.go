package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/shirou/gopsutil/v4/disk"
	"github.com/spf13/cobra"

	"github.com/failrate/failrate/containers"
	"github.com/failrate/failrate/harness/trial/process"
	"github.com/failrate/failrate/stress"
)

func newDoctor(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Say what this machine can measure",
		Long: `doctor looks at what measuring needs: system, cores, Docker Engine, cgroups, pressure counters, disk, tools, and what
killed runs left. Each line is ok or missing, with what to do. It changes nothing.`,
		Example: "  failrate doctor",
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return a.doctor(c.Context()) },
	}
}

// finding is one line of doctor.
type finding struct {
	what   string
	ok     bool
	detail string
	todo   string // empty when ok
}

func (a *app) doctor(ctx context.Context) error {
	h := hostFacts(ctx, "")
	found := []finding{
		{"system", true, fmt.Sprintf("%s/%s, kernel %s", h.OS, h.Arch, h.Kernel), ""},
		{"processor", true, fmt.Sprintf("%s, %d cores, %.1f GiB of memory", h.CPU, h.Cores, float64(h.Memory)/(1<<30)), ""},
	}
	found = append(found, a.engineFindings(ctx)...)
	found = append(found, pressureFinding(), a.diskFinding(ctx), toolFinding("git", "git subjects and patches need it"),
		toolFinding("go", "the built-in studies and the container agent are compiled with it"), a.leftovers(ctx))
	for _, f := range found {
		state := "ok     "
		if !f.ok {
			state = "missing"
		}
		line := fmt.Sprintf("%s  %-16s %s", state, f.what, f.detail)
		if f.todo != "" {
			line += ": " + f.todo
		}
		if _, err := fmt.Fprintln(a.Out, line); err != nil {
			return wrap(exitUnexpected, err)
		}
	}
	return nil
}

// engineFindings are what package containers finds, in doctor's words.
func (a *app) engineFindings(ctx context.Context) []finding {
	var out []finding
	for _, l := range containers.Doctor(ctx, containers.ConnectOptions{}, a.sessions()) {
		out = append(out, finding{l.Name, l.OK, l.Text, l.Hint})
	}
	return out
}

func pressureFinding() finding {
	if p, err := stress.ReadPressure("/proc/pressure/cpu"); err == nil {
		return finding{"pressure", true, fmt.Sprintf("CPU pressure is counted (%s so far)", p.Some), ""}
	}
	return finding{"pressure", false, "no /proc/pressure/cpu", "run-queue pressure will not be recorded; Linux 4.20 or newer with PSI has it"}
}

// enoughDisk is what a campaign with kept logs should have, in bytes.
const enoughDisk = 2 << 30

func (a *app) diskFinding(ctx context.Context) finding {
	dir := a.cacheDir()
	for dir != filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	u, err := disk.UsageWithContext(ctx, dir)
	if err != nil {
		return finding{"disk", false, err.Error(), "free space could not be read"}
	}
	f := finding{"disk", u.Free >= enoughDisk, fmt.Sprintf("%.1f GiB free at %s", float64(u.Free)/(1<<30), dir), ""}
	if !f.ok {
		f.todo = "free 2 GiB or set FAILRATE_CACHE to a folder elsewhere"
	}
	return f
}

func toolFinding(name, why string) finding {
	path, err := exec.LookPath(name)
	if err != nil {
		return finding{name, false, "not in PATH", why}
	}
	return finding{name, true, path, ""}
}

// leftovers counts the session files that no live harness holds.
func (a *app) leftovers(context.Context) finding {
	n, err := process.Orphans(a.sessions())
	if err != nil {
		return finding{"leftovers", false, err.Error(), "failrate clean tries to remove them"}
	}
	if n > 0 {
		return finding{"leftovers", false, fmt.Sprintf("%d killed runs left something", n), "failrate clean removes it"}
	}
	return finding{"leftovers", true, "none on " + runtime.GOOS, ""}
}
