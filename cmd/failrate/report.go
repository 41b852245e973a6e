package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/failrate/failrate/harness/journal"
	"github.com/failrate/failrate/reports"
)

// outputOptions say what is printed at the end, and what must hold.
type outputOptions struct {
	Format  string
	File    string
	Asserts []string
	Summary bool
}

func (o *outputOptions) addFlags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.Format, "format", "text", "format of the table: "+strings.Join(formatNames(), ", "))
	f.StringVarP(&o.File, "output", "o", "", "write the table to this file instead of stdout")
	f.StringArrayVar(&o.Asserts, "assert", nil, "exit with 6 unless this holds in every stratum: 'leaders-only <= 2%' or 'fixed(leaders-only)'")
	f.BoolVar(&o.Summary, "step-summary", true, "append the Markdown form to the file that GITHUB_STEP_SUMMARY names, when it is set")
}

// format is one way to write a table.
type format struct {
	name  string
	write func(io.Writer, *reports.Table) error
}

func formats() []format {
	return []format{
		{"text", reports.Text}, {"markdown", reports.Markdown}, {"jira", reports.Jira}, {"html", reports.HTML}, {"json", reports.JSON}, {"csv", reports.CSV},
		{"junit", reports.JUnit}, {"svg", reports.SVG}, {"png", reports.PNG},
	}
}

func formatNames() []string {
	var names []string
	for _, f := range formats() {
		names = append(names, f.name)
	}
	return names
}

// reportOptions are the flags of report.
type reportOptions struct {
	output outputOptions
	Class  string
	Pool   bool
	Schema bool
	Follow bool
	Every  time.Duration
}

func newReport(a *app) *cobra.Command {
	var o reportOptions
	c := &cobra.Command{
		Use:   "report RESULTS...",
		Short: "Tabulate results folders, shards and CI artifacts",
		Long: `report reads results folders, folders full of them, and zip archives of them, and prints one table. The shards of one
plan are merged: a re-run attempt of a CI job replaces the one before it, and what is missing is named. Several
campaigns of one study (other seeds, other days) stand side by side; --pool adds each variant's effect over them.

Formats: text, markdown (a GitHub comment, at most 65,536 characters) and jira (wiki markup, at most 32,767) hold the
table; json has everything for machines, by the schema of --schema; csv has one row a trial; junit one suite a variant.
When a table does not fit a tracker's limit, detail is dropped in this order and the page says so: machines and
settings; metrics and durations; footnotes; classes and differences; the command that repeats it; the last rows.

` + exitHelp,
		Example: `  failrate report results/soft-commit/20261201-101500-7f3a09c2 --format markdown
  failrate report shards/ --format json -o table.json --assert 'leaders-only <= 2%'
  failrate report results/soft-commit/* --pool
  failrate report --follow results/soft-commit/20261201-101500-7f3a09c2`,
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case o.Schema:
				_, err := a.Out.Write(reports.JSONSchema)
				return wrap(exitUnexpected, err)
			case len(args) == 0:
				return fail(exitUsage, "give a results folder, such as results/soft-commit/20261201-101500-7f3a09c2", "%s: no results folder", c.CommandPath())
			}
			return a.report(c.Context(), args, o)
		},
	}
	o.output.addFlags(c)
	f := c.Flags()
	f.BoolVar(&o.Pool, "pool", false, "with several campaigns: add each variant's effect over them, stratum by stratum")
	f.StringVar(&o.Class, "class", "", "compare the failures of one class alone, such as committed")
	f.BoolVar(&o.Schema, "schema", false, "print the JSON Schema of --format json and stop")
	f.BoolVar(&o.Follow, "follow", false, "print the table again whenever the record of a running campaign has grown, until it is complete")
	f.DurationVar(&o.Every, "every", 5*time.Second, "with --follow: how often to look")
	return c
}

func (a *app) report(ctx context.Context, paths []string, o reportOptions) error {
	claims, err := parseClaims(o.output.Asserts)
	if err != nil {
		return err
	}
	if o.Follow {
		if err := a.follow(ctx, paths, o); err != nil {
			return err
		}
	}
	results, err := reports.Open(paths)
	if err != nil {
		return journalError(err)
	}
	defer func() { _ = results.Close() }()
	t, err := results.Table(reports.Options{Pool: o.Pool, Class: o.Class})
	if err != nil {
		return journalError(err)
	}
	if err := a.put(t, o.output); err != nil {
		return err
	}
	return checkClaims(claims, t)
}

// put writes the table in the format asked for, and to the step summary of a GitHub job.
func (a *app) put(t *reports.Table, o outputOptions) error {
	for _, f := range formats() {
		if f.name != o.Format {
			continue
		}
		if err := a.write(t, f, o.File); err != nil {
			return wrap(exitUnexpected, err)
		}
		if path := a.getenv("GITHUB_STEP_SUMMARY"); o.Summary && path != "" {
			return wrap(exitUnexpected, a.summarize(t, path))
		}
		return nil
	}
	return fail(exitUsage, "formats: "+strings.Join(formatNames(), ", "), "--format %q is not one", o.Format)
}

// write streams the table to stdout or a file. A file is whole or as it was before.
func (a *app) write(t *reports.Table, f format, path string) (err error) {
	if path == "" {
		out := bufio.NewWriterSize(a.Out, 1<<16)
		if width, tty := terminal(a.Out); tty && f.name == "text" {
			return errors.Join(reports.TextWithin(out, t, width), out.Flush())
		}
		return errors.Join(f.write(out, t), out.Flush())
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() { // such as /dev/null
		return errors.Join(writeInto(path, os.O_WRONLY, t, f.write))
	}
	part := path + ".part"
	if err := writeInto(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, t, f.write); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return os.Rename(part, path)
}

func writeInto(path string, flag int, t *reports.Table, write func(io.Writer, *reports.Table) error) error {
	file, err := os.OpenFile(path, flag, 0o644)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(file, 1<<16)
	return errors.Join(write(out, t), out.Flush(), file.Close())
}

// summarize appends the Markdown form to a step summary, in the room that GitHub's limit leaves in it.
func (a *app) summarize(t *reports.Table, path string) error {
	room := int64(reports.MarkdownSummary)
	if info, err := os.Stat(path); err == nil {
		room -= info.Size()
	}
	if room < 4096 {
		_, err := fmt.Fprintf(a.Err, "warning: %s is full (1 MiB a step), so the table is not in it\n", path)
		return err
	}
	return writeInto(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, t, func(w io.Writer, t *reports.Table) error {
		return reports.MarkdownWithin(w, t, int(room)-1)
	})
}

// journalError gives a refused journal its exit status and the next step.
func journalError(err error) error {
	e := &exitError{status: exitUnexpected, err: err}
	if errors.Is(err, journal.ErrRefused) || errors.Is(err, journal.ErrNone) || errors.Is(err, journal.ErrEmpty) {
		e.status = exitJournal
	}
	e.hint = hintOf(err)
	if errors.Is(err, fs.ErrNotExist) {
		e.status = exitUsage
		e.hint = cmp.Or(e.hint, "look at the path; measure makes its folders in results/STUDY/CAMPAIGN and prints their names")
	}
	return e
}

// hintOf finds the next step that an error carries.
func hintOf(err error) string {
	var h interface{ Hint() string }
	if errors.As(err, &h) {
		return h.Hint()
	}
	return ""
}

func parseClaims(texts []string) ([]claim, error) {
	var out []claim
	for _, text := range texts {
		c, err := parseClaim(text)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// checkClaims holds every claim against every stratum. A claim about a variant that the table lacks is not met.
func checkClaims(claims []claim, t *reports.Table) error {
	var unmet []string
	for _, c := range claims {
		seen := false
		for _, s := range t.Strata {
			for _, cell := range s.Cells {
				if cell.Variant != c.variant {
					continue
				}
				seen = true
				st := standing{stratum: s.ID, low: cell.Interval.Low, high: cell.Interval.High, counted: cell.Rate.N > 0}
				if cell.Comparison != nil {
					st.verdict = string(cell.Comparison.Verdict)
				}
				if why := c.unmet(st); why != "" {
					unmet = append(unmet, why)
				}
			}
		}
		if !seen {
			unmet = append(unmet, fmt.Sprintf("%s: the table has no variant %s", c.text, c.variant))
		}
	}
	if len(t.Partial) > 0 && len(claims) > 0 {
		unmet = append(unmet, "the table is partial: "+strings.Join(t.Partial, "; "))
	}
	if len(unmet) == 0 {
		return nil
	}
	return fail(exitClaim, "", "claim not met: %s", strings.Join(unmet, "\n  "))
}
