package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/variants"
)

func newList(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the built-in studies",
		Long:    "list prints the name and the title of every study that this program carries.",
		Example: "  failrate list",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return a.list() },
	}
}

func (a *app) list() error {
	for _, name := range variants.Names() {
		dir, err := unpackBuiltin(a.cacheDir(), name)
		if err != nil {
			return wrap(exitUnexpected, err)
		}
		s, err := study.Load(dir)
		if err != nil {
			return wrap(exitStudy, err)
		}
		title := s.Title
		if n := len(s.Subject.Steps); n > 0 {
			title += fmt.Sprintf(" (%d steps)", n)
		}
		if _, err := fmt.Fprintf(a.Out, "%-20s %s\n", name, title); err != nil {
			return wrap(exitUnexpected, err)
		}
	}
	return nil
}
