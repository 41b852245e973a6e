package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/failrate/failrate/harness/journal"
	"github.com/failrate/failrate/reports"
)

// outputOptions say what is printed at the end, and what must hold.
type outputOptions struct {
	Format  string
	File    string
	Asserts []string
}

func (o *outputOptions) addFlags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.Format, "format", "text", "format of the table: "+strings.Join(formatNames(), ", "))
	f.StringVarP(&o.File, "output", "o", "", "write the table to this file instead of stdout")
	f.StringArrayVar(&o.Asserts, "assert", nil, "exit with 6 unless this holds in every stratum: 'leaders-only <= 2%' or 'fixed(leaders-only)'")
}

// format is one way to write a table.
type format struct {
	name  string
	write func(io.Writer, *reports.Table) error
}

func formats() []format {
	return []format{
		{"text", reports.Text}, {"markdown", reports.Markdown}, {"json", reports.JSON},
	}
}

func formatNames() []string {
	var names []string
	for _, f := range formats() {
		names = append(names, f.name)
	}
	return names
}

func newReport(a *app) *cobra.Command {
	var o outputOptions
	c := &cobra.Command{
		Use:   "report RESULTS...",
		Short: "Tabulate results folders, shards and CI artifacts",
		Long: `report reads results folders, folders full of them, and zip archives of them, and prints one table. They must be of
one plan: shards are merged, a re-run attempt of a CI job replaces the one before it, and what is missing is named.

` + exitHelp,
		Example: `  failrate report results/soft-commit/20261201-101500-7f3a --format markdown
  failrate report shards/ --format json -o table.json --assert 'leaders-only <= 2%'`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.report(args, o) },
	}
	o.addFlags(c)
	return c
}

func (a *app) report(paths []string, o outputOptions) error {
	claims, err := parseClaims(o.Asserts)
	if err != nil {
		return err
	}
	t, err := reports.Read(paths)
	if err != nil {
		return journalError(err)
	}
	if err := a.put(t, o); err != nil {
		return err
	}
	return checkClaims(claims, t)
}

// put writes the table in the format asked for.
func (a *app) put(t *reports.Table, o outputOptions) error {
	for _, f := range formats() {
		if f.name != o.Format {
			continue
		}
		var b bytes.Buffer
		if err := f.write(&b, t); err != nil {
			return wrap(exitUnexpected, err)
		}
		if o.File == "" {
			_, err := a.Out.Write(b.Bytes())
			return wrap(exitUnexpected, err)
		}
		if err := os.MkdirAll(filepath.Dir(o.File), 0o755); err != nil {
			return wrap(exitUnexpected, err)
		}
		return wrap(exitUnexpected, os.WriteFile(o.File, b.Bytes(), 0o644))
	}
	return fail(exitUsage, "formats: "+strings.Join(formatNames(), ", "), "--format %q is not one", o.Format)
}

// journalError gives a refused journal its exit status and the next step.
func journalError(err error) error {
	e := &exitError{status: exitUnexpected, err: err}
	if errors.Is(err, journal.ErrRefused) || errors.Is(err, journal.ErrNone) || errors.Is(err, journal.ErrEmpty) {
		e.status = exitJournal
	}
	if os.IsNotExist(err) {
		e.status = exitUsage
	}
	e.hint = hintOf(err)
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
