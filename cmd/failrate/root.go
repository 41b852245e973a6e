package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set by the build (-ldflags -X main.version=…); without it the module's version is used.
var version = ""

func toolVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "devel"
}

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "failrate",
		Short: "Measure how often a flaky test fails, variant by variant",
		Long: `failrate runs N trials of each variant of a flaky test or a bug reproduction, in Linux containers and natively,
with and without CPU stress, tells apart how each trial ended, and tabulates failures per variant with
confidence intervals and a comparison with the baseline.

` + exitHelp,
		Example: `  failrate measure soft-commit                        # a built-in study
  failrate measure path/to/study -n 200 --on native
  failrate measure -n 200 -c before='./old.sh --x 1' -c after=./new.sh
  failrate report results/soft-commit/* --format markdown`,
		Version:       toolVersion(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return fail(exitUsage, fmt.Sprintf("%s --help shows the flags", c.CommandPath()), "%s: %w", c.CommandPath(), err)
	})
	root.AddCommand(verbs(a)...)
	return root
}

// verbs lists the commands in the order of a campaign's life.
func verbs(a *app) []*cobra.Command {
	return []*cobra.Command{
		newMeasure(a), newReport(a), newAttach(a), newPlan(a), newMatrix(a), newCheck(a), newList(a), newInit(a), newReclassify(a), newDoctor(a), newClean(a),
	}
}
