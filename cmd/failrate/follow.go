package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/failrate/failrate/harness/journal"
	"github.com/failrate/failrate/reports"
)

// follow prints the table of a running campaign whenever its record has grown, until every planned trial is on record or
// ctx ends. It only reads, so the campaign does not notice. The last table is the caller's to print.
func (a *app) follow(ctx context.Context, paths []string, o reportOptions) error {
	tick := time.NewTicker(max(o.Every, 100*time.Millisecond))
	defer tick.Stop()
	var before int64 = -1
	for {
		size, err := recordSize(paths)
		if err != nil {
			return journalError(err)
		}
		if size != before {
			before = size
			done, err := a.look(paths, o)
			if err != nil || done {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// look reads the record as it is now; unless that is complete it prints the table.
func (a *app) look(paths []string, o reportOptions) (done bool, err error) {
	results, err := reports.Open(paths)
	if err != nil {
		return false, journalError(err)
	}
	defer func() { _ = results.Close() }()
	t, err := results.Table(reports.Options{Pool: o.Pool, Class: o.Class})
	if err != nil {
		return false, journalError(err)
	}
	if t.Complete {
		return true, nil
	}
	if _, tty := terminal(a.Out); tty && o.output.File == "" {
		if _, err := fmt.Fprint(a.Out, "\x1b[H\x1b[2J"); err != nil {
			return false, wrap(exitUnexpected, err)
		}
	}
	quiet := o.output
	quiet.Summary = false
	return false, a.put(t, quiet)
}

// recordSize is how many bytes the journals under the paths have.
func recordSize(paths []string) (int64, error) {
	var sum int64
	for _, path := range paths {
		found, err := journal.Find(path, journal.Limits{})
		if err != nil {
			return 0, err
		}
		for _, s := range found {
			info, err := os.Stat(filepath.Clean(s.Path))
			if err != nil {
				return 0, err
			}
			sum += info.Size()
		}
	}
	return sum, nil
}
