package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/failrate/failrate/containers"
	"github.com/failrate/failrate/harness/subject"
	"github.com/failrate/failrate/harness/trial"
)

func newClean(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "clean",
		Short: "Remove what killed runs left: processes, containers, folders",
		Long: `clean ends the processes and removes the containers, networks and temporary folders of runs whose harness was killed.
What a live run owns is left alone, and so are results. Every measure does the same before it starts.`,
		Example: "  failrate clean",
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return a.clean(c.Context()) },
	}
}

func (a *app) clean(ctx context.Context) error {
	e, engineErr := containers.Connect(ctx, containers.ConnectOptions{})
	if engineErr != nil {
		fmt.Fprintf(a.Err, "no containers were looked for: %v\n", engineErr)
		return wrap(exitUnexpected, a.sweep(ctx, a.Out, nil))
	}
	return wrap(exitUnexpected, errors.Join(a.sweep(ctx, a.Out, e), e.Close()))
}

// sweep removes what killed harnesses left on this host and in the engine, if there is one, and says how much that was.
// What cannot be removed is in the error; the rest is removed all the same.
func (a *app) sweep(ctx context.Context, out io.Writer, e *containers.Engine) error {
	say := func(n int, what string) {
		if n > 0 {
			fmt.Fprintf(out, "removed %d %s\n", n, what)
		}
	}
	swept, err := trial.Sweep(a.sessions())
	say(len(swept.Processes), "processes")
	say(len(swept.Folders), "temporary folders")
	halves, cacheErr := subject.Sweep(ctx, a.cacheDir())
	say(len(halves), "half-made trees")
	if e == nil {
		return errors.Join(err, cacheErr)
	}
	gone, engineErr := containers.Sweep(ctx, e, containers.SweepOptions{Sessions: a.sessions()})
	say(len(gone.Containers), "containers")
	say(len(gone.Networks), "networks")
	say(len(gone.Volumes), "volumes")
	return errors.Join(err, cacheErr, engineErr)
}
