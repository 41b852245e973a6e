package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/failrate/failrate/harness/plan"
	"github.com/failrate/failrate/harness/study"
)

// matrixOptions are the flags of matrix.
type matrixOptions struct {
	source    sourceOptions
	selection selectionOptions
	Shards    int
	Runners   []string
	Each      time.Duration
	GitHub    bool
}

func newMatrix(a *app) *cobra.Command {
	var o matrixOptions
	c := &cobra.Command{
		Use:   "matrix STUDY",
		Short: "Split a campaign into shards, as a CI matrix",
		Long: `matrix prints a GitHub Actions matrix as JSON: one entry per runner and shard, with the seed and the plan's digest
that every shard must agree on. A shard is a slice of blocks, so every machine sees every variant. The plan in words
(trials, minutes per shard, machine time) goes to stderr.

` + exitHelp,
		Example: `  failrate matrix soft-commit --shards 20 -n 2000 --os ubuntu-latest,macos-latest
  failrate matrix path/to/study --shards 4 --each 40s --github-output`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			o.source.Study = args[0]
			return a.matrix(o)
		},
	}
	o.selection.addFlags(c)
	f := c.Flags()
	f.IntVar(&o.Shards, "shards", 4, "machines per operating system")
	f.StringSliceVar(&o.Runners, "os", []string{"ubuntu-latest"}, "runners; those named macos… or darwin… take the native strata only")
	f.DurationVar(&o.Each, "each", 0, "how long a trial takes, for the estimate (default: not estimated)")
	f.BoolVar(&o.GitHub, "github-output", false, "write matrix=JSON to the file that $GITHUB_OUTPUT names instead of stdout")
	return c
}

// matrixEntry is one job. All values are strings or numbers that a workflow can use as they are.
type matrixEntry struct {
	OS    string `json:"os"`
	Index int    `json:"index"` // from 1, for names
	Shard string `json:"shard"` // such as 3/20
	Seed  string `json:"seed"`
	Plan  string `json:"plan"` // digest
}

func (a *app) matrix(o matrixOptions) error {
	if o.Shards < 1 || o.Shards > 256 {
		return fail(exitUsage, "GitHub allows 256 jobs in a matrix", "--shards %d is not between 1 and 256", o.Shards)
	}
	if n := o.Shards * len(o.Runners); n > 256 {
		return fail(exitUsage, "use fewer shards or runners", "%d shards on %d runners are %d jobs, and GitHub allows 256 in a matrix", o.Shards, len(o.Runners), n)
	}
	s, p, err := a.plan(o.source, o.selection)
	if err != nil {
		return err
	}
	var entries []matrixEntry
	for _, runner := range o.Runners {
		for k := 1; k <= o.Shards; k++ {
			entries = append(entries, matrixEntry{
				OS: runner, Index: k, Shard: plan.Shard{Index: k, Of: o.Shards}.String(),
				Seed: strconv.FormatUint(p.Seed, 10), Plan: p.Digest(),
			})
		}
	}
	a.describeMatrix(s, p, o)
	data, err := json.Marshal(map[string]any{"include": entries})
	if err != nil {
		return wrap(exitUnexpected, err)
	}
	return a.putMatrix(o, string(data))
}

// plan loads a study and plans it; a seed of 0 is replaced by a random one.
func (a *app) plan(src sourceOptions, selOpts selectionOptions) (*study.Study, *plan.Plan, error) {
	s, err := a.load(src)
	if err != nil {
		return nil, nil, err
	}
	digest, err := s.Digest()
	if err != nil {
		return nil, nil, wrap(exitStudy, err)
	}
	sel, err := selOpts.selection()
	if err != nil {
		return nil, nil, err
	}
	if sel.Seed == 0 {
		sel.Seed = randomSeed()
	}
	p, err := plan.New(s, digest, sel)
	return s, p, wrap(exitUsage, err)
}

// describeMatrix says what the shards will run, on stderr.
func (a *app) describeMatrix(s *study.Study, p *plan.Plan, o matrixOptions) {
	each := o.Each
	total := time.Duration(0)
	for _, runner := range o.Runners {
		trials := 0
		for _, c := range p.Cells() {
			if runs(runner, c.Platform) {
				trials += c.Trials
			}
		}
		line := fmt.Sprintf("%s: %d trials over %d shards, about %d each", runner, trials, o.Shards, (trials+o.Shards-1)/o.Shards)
		if each > 0 {
			spent := time.Duration(trials) * each
			total += spent
			line += fmt.Sprintf(", %.1f minutes per shard", (spent / time.Duration(o.Shards)).Minutes())
		}
		fmt.Fprintln(a.Err, line)
	}
	if each > 0 {
		fmt.Fprintf(a.Err, "machine time: %.1f minutes, without set-up\n", total.Minutes())
	} else {
		fmt.Fprintf(a.Err, "machine time: not estimated; --each 40s says how long a trial of %s takes\n", s.Name)
	}
}

// runs reports whether a runner takes a platform's strata: macOS has no Linux containers.
func runs(runner string, p study.Platform) bool {
	mac := strings.HasPrefix(runner, "macos") || strings.HasPrefix(runner, "darwin")
	return p == study.Native || !mac
}

func (a *app) putMatrix(o matrixOptions, data string) error {
	if !o.GitHub {
		_, err := fmt.Fprintln(a.Out, data)
		return wrap(exitUnexpected, err)
	}
	path := a.getenv("GITHUB_OUTPUT")
	if path == "" {
		return fail(exitUsage, "leave --github-output out to print the matrix", "--github-output: GITHUB_OUTPUT is not set")
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return wrap(exitUnexpected, err)
	}
	if _, err := io.WriteString(f, "matrix="+data+"\n"); err != nil {
		f.Close()
		return wrap(exitUnexpected, err)
	}
	return wrap(exitUnexpected, f.Close())
}
