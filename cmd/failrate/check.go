package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/failrate/failrate/harness/plan"
	"github.com/failrate/failrate/harness/study"
)

func newCheck(a *app) *cobra.Command {
	var schema bool
	c := &cobra.Command{
		Use:   "check STUDY",
		Short: "Check a study without running anything",
		Long: `check loads a study, says everything that is wrong with it at once, how many trials it asks for, and
what its steps are where it has some.
--schema prints the JSON Schema of study.yaml, for an editor.

` + exitHelp,
		Example: `  failrate check path/to/study
  failrate check --schema > study.schema.json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if schema {
				_, err := a.Out.Write(study.Schema())
				return wrap(exitUnexpected, err)
			}
			if len(args) != 1 {
				return fail(exitUsage, "failrate check path/to/study", "check takes one study")
			}
			return a.check(args[0])
		},
	}
	c.Flags().BoolVar(&schema, "schema", false, "print the JSON Schema of study.yaml and stop")
	return c
}

func (a *app) check(arg string) error {
	s, err := a.load(sourceOptions{Study: arg})
	if err != nil {
		return err
	}
	digest, err := s.Digest()
	if err != nil {
		return wrap(exitStudy, err)
	}
	p, err := plan.New(s, digest, plan.Selection{})
	if err != nil {
		return wrap(exitStudy, err)
	}
	for _, w := range s.Warnings {
		fmt.Fprintf(a.Err, "warning: %s\n", w)
	}
	_, err = fmt.Fprintf(a.Out, "%s: %d variants, %d controls, %d strata, %d cells, %d trials; at most %s when every trial takes its whole time limit\n",
		s.Name, len(s.Variants), len(s.Controls), len(p.Strata), len(p.Cells()), p.Trials(), s.Size().Longest)
	if err != nil {
		return wrap(exitUnexpected, err)
	}
	return printSteps(a.Out, s)
}
