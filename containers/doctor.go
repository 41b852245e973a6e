package containers

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/failrate/failrate/harness/trial"
)

// Line is one finding of Doctor.
type Line struct {
	Name string // such as docker engine
	OK   bool
	Text string // what there is, or what is wrong; one line
	Hint string // what to do about it; empty when OK or when there is nothing to do
}

// Doctor says what there is of Docker on this machine: the engine, its API, platform, cgroups, storage and security,
// and what dead harnesses left in it. sessions is the folder of the session files; empty means the native executor's.
func Doctor(ctx context.Context, o ConnectOptions, sessions string) []Line {
	e, err := Connect(ctx, o)
	if err != nil {
		l := Line{Name: "docker engine", Text: trial.OneLine(err.Error())}
		if hint := (interface{ Hint() string })(nil); errors.As(err, &hint) {
			l.Hint = hint.Hint()
		}
		return []Line{l}
	}
	defer e.Close()
	return append(e.lines(), e.orphans(ctx, sessions))
}

func (e *Engine) lines() []Line {
	security := Line{Name: "docker security", OK: true, Text: strings.Join(e.Security, ", ")}
	if len(e.Security) == 0 {
		security.OK, security.Text, security.Hint = false, "none", "containers run without seccomp: run trusted subjects only"
	}
	return []Line{
		{Name: "docker engine", OK: true, Text: fmt.Sprintf("%s at %s", e.Version, e.Host)},
		{Name: "docker API", OK: true, Text: e.API},
		{Name: "docker platform", OK: true, Text: fmt.Sprintf("%s/%s, kernel %s, %d CPUs, %d MiB", e.OS, e.Arch, e.Kernel, e.CPUs, e.Memory>>20)},
		{Name: "docker cgroups", OK: true, Text: "version " + e.CgroupVersion},
		{Name: "docker storage", OK: true, Text: e.StorageDriver},
		security,
	}
}

func (e *Engine) orphans(ctx context.Context, sessions string) Line {
	l := Line{Name: "docker orphans"}
	found, err := Sweep(ctx, e, SweepOptions{Sessions: sessions, Images: true, Dry: true})
	switch {
	case err != nil:
		l.Text = trial.OneLine(err.Error())
	case len(found.Containers)+len(found.Networks)+len(found.Volumes) > 0:
		l.Text = fmt.Sprintf("%d containers, %d networks, %d volumes", len(found.Containers), len(found.Networks), len(found.Volumes))
		l.Hint = "failrate clean removes them"
	default:
		l.OK, l.Text = true, "none"
	}
	if len(found.Images) > 0 {
		l.Text += fmt.Sprintf("; %d images kept for later campaigns", len(found.Images))
	}
	return l
}

// Facts are the engine's, for a campaign's header.
func (e *Engine) Facts() trial.Facts {
	return trial.Facts{
		"engine": e.Version, "engine-api": e.API, "engine-cgroups": e.CgroupVersion, "engine-kernel": e.Kernel,
		"engine-platform": e.OS + "/" + e.Arch, "engine-storage": e.StorageDriver,
	}
}
