package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/failrate/failrate/harness/study"
)

func newInit(a *app) *cobra.Command {
	var o sourceOptions
	c := &cobra.Command{
		Use:   "init FOLDER",
		Short: "Make a study from a command line",
		Long: `init writes FOLDER/study.yaml for the commands that -c states, ready to be edited: add patches, classes, evidence.
A file that is there already is left alone.

` + exitHelp,
		Example: `  failrate init my-study -c before='./old.sh --x 1' -c after=./new.sh
  failrate measure my-study`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.init(args[0], o) },
	}
	o.addFlags(c)
	return c
}

func (a *app) init(folder string, o sourceOptions) error {
	if len(o.Commands) == 0 {
		return fail(exitUsage, "-c before=./old.sh -c after=./new.sh", "init needs at least one -c NAME=COMMAND")
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return wrap(exitUnexpected, err)
	}
	abs, err := filepath.Abs(folder)
	if err != nil {
		return wrap(exitUnexpected, err)
	}
	s, err := study.Inline(study.InlineOptions{
		Commands: o.Commands, Shell: o.Shell, Timeout: o.Timeout, Format: study.ResultFormat(o.Format),
		Dir: abs,
	})
	if err != nil {
		return wrap(exitUsage, err)
	}
	text, err := study.Encode(s)
	if err != nil {
		return wrap(exitUnexpected, err)
	}
	path := filepath.Join(folder, "study.yaml")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fail(exitUsage, "edit it, or name another folder", "%s is there already", path)
	}
	if err != nil {
		return wrap(exitUnexpected, err)
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return wrap(exitUnexpected, err)
	}
	_, err = fmt.Fprintf(a.Out, "%s\n", path)
	return wrap(exitUnexpected, err)
}
