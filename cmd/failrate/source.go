package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/failrate/failrate/harness/plan"
	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/variants"
)

// sourceOptions say which study: by name or path, or inline.
type sourceOptions struct {
	Study    string
	Commands []string
	Shell    bool
	Timeout  time.Duration
	Format   string
	Image    string
}

func (o *sourceOptions) addFlags(c *cobra.Command) {
	f := c.Flags()
	f.StringArrayVarP(&o.Commands, "command", "c", nil, "a variant without a study file: NAME=COMMAND; the first is the baseline")
	f.BoolVar(&o.Shell, "shell", false, "run each -c by /bin/sh -c")
	f.DurationVar(&o.Timeout, "timeout", 0, "time limit of a trial of -c (default 10m)")
	f.StringVar(&o.Image, "in", "", "image for -c, so that it can be measured in containers too")
	f.StringVar(&o.Format, "results-format", "", "how -c reports: exit, records, go-test-json, tap (default exit)")
}

// load finds and loads the study.
func (a *app) load(o sourceOptions) (*study.Study, error) {
	switch {
	case o.Study != "" && len(o.Commands) > 0:
		return nil, fail(exitUsage, "leave one of them out", "a study and -c exclude each other")
	case len(o.Commands) > 0:
		s, err := study.Inline(study.InlineOptions{
			Commands: o.Commands, Shell: o.Shell, Timeout: o.Timeout, Format: study.ResultFormat(o.Format),
			Image: o.Image,
		})
		return s, wrap(exitUsage, err)
	case o.Study == "":
		return nil, fail(exitUsage, "failrate list shows the built-in studies; -c NAME=COMMAND needs none", "no study given")
	}
	path, err := a.findStudy(o.Study)
	if err != nil {
		return nil, err
	}
	s, err := study.Load(path)
	return s, wrap(exitStudy, err)
}

// findStudy gives the path of a study that is named by a path or, failing that, by a built-in study's name.
func (a *app) findStudy(arg string) (string, error) {
	if _, err := os.Stat(arg); err == nil {
		return filepath.Abs(arg)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", wrap(exitUsage, err)
	}
	names := variants.Names()
	if slices.Contains(names, arg) {
		dir, err := unpackBuiltin(a.cacheDir(), arg)
		return dir, wrap(exitUnexpected, err)
	}
	return "", fail(exitUsage, "built-in studies: "+strings.Join(names, ", "), "there is no study %q, neither a path nor a built-in one", arg)
}

// cacheDir is where clones, prepared trees and session files live.
func (a *app) cacheDir() string {
	if dir := a.getenv("FAILRATE_CACHE"); dir != "" {
		return dir
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	return filepath.Join(dir, "failrate")
}

// selectionOptions narrow the study.
type selectionOptions struct {
	Variants   []string
	On         []string
	Stress     []string
	Parameters []string
	Iterations int
	Seed       uint64
	NoControls bool
}

func (o *selectionOptions) addFlags(c *cobra.Command) {
	f := c.Flags()
	f.StringSliceVar(&o.Variants, "variant", nil, "variants to run, the baseline always among them (default all)")
	f.StringSliceVar(&o.On, "on", nil, "platforms: container, native (default the study's)")
	f.StringSliceVar(&o.Stress, "stress", nil, "stress levels by name (default the study's)")
	f.StringArrayVar(&o.Parameters, "param", nil, "values of a swept parameter: NAME=V1,V2 (default all)")
	f.IntVarP(&o.Iterations, "iterations", "n", 0, "trials per cell (default the study's)")
	f.Uint64Var(&o.Seed, "seed", 0, "decides the order of the trials (default random, and printed)")
	f.BoolVar(&o.NoControls, "no-controls", false, "leave the study's controls out")
}

// selection gives what plan.New takes.
func (o selectionOptions) selection() (plan.Selection, error) {
	sel := plan.Selection{
		Variants: o.Variants, Stress: o.Stress, Iterations: o.Iterations, NoControls: o.NoControls, Seed: o.Seed,
		Parameters: map[string][]string{},
	}
	for _, p := range o.On {
		sel.Platforms = append(sel.Platforms, study.Platform(p))
	}
	for _, p := range o.Parameters {
		name, values, ok := strings.Cut(p, "=")
		if !ok || values == "" {
			return sel, fail(exitUsage, "", "--param %q is not of the form NAME=V1,V2", p)
		}
		sel.Parameters[name] = strings.Split(values, ",")
	}
	return sel, nil
}
