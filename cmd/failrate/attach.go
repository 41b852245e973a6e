package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/failrate/failrate/reports"
	"github.com/failrate/failrate/reports/trackers"
)

// attachOptions are the flags of attach.
type attachOptions struct {
	GitHub    string
	GitHubURL string
	Jira      string
	JiraURL   string
	Pool      bool
	DryRun    bool
}

func newAttach(a *app) *cobra.Command {
	var o attachOptions
	c := &cobra.Command{
		Use:   "attach RESULTS... --github OWNER/REPO#123 | --jira KEY-1",
		Short: "Post the table as a comment on an issue, or update the one posted before",
		Long: `attach posts the table of results folders as a comment on an issue or pull request. A second run from the same host
updates that comment instead of adding one: it is found by a hidden mark that names study and host.

Tokens are read from the environment only: GITHUB_TOKEN or GH_TOKEN; for Jira Cloud JIRA_USER and JIRA_API_TOKEN, for
Jira Data Center JIRA_TOKEN. GITHUB_API_URL and JIRA_URL are the defaults of --github-url and --jira-url.

` + exitHelp,
		Example: `  failrate attach results/soft-commit/20261201-101500-7f3a09c2 --github apache/solr#4451
  failrate attach results/soft-commit/20261201-101500-7f3a09c2 --jira SOLR-18530 --jira-url https://issues.apache.org/jira --dry-run`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return a.attach(c.Context(), args, o) },
	}
	f := c.Flags()
	f.StringVar(&o.GitHub, "github", "", "issue or pull request, such as apache/solr#4451")
	f.StringVar(&o.GitHubURL, "github-url", "", "address of GitHub Enterprise (default github.com)")
	f.StringVar(&o.Jira, "jira", "", "issue, such as SOLR-18530")
	f.StringVar(&o.JiraURL, "jira-url", "", "address of the Jira site, such as https://issues.apache.org/jira")
	f.BoolVar(&o.Pool, "pool", false, "with several campaigns: add each variant's effect over them, stratum by stratum")
	f.BoolVar(&o.DryRun, "dry-run", false, "print what would be sent, and send nothing")
	return c
}

// tracker is an issue that takes a table.
type tracker interface {
	Body(*reports.Table) (string, error)
	Attach(context.Context, *reports.Table) (trackers.Result, error)
}

func (a *app) attach(ctx context.Context, paths []string, o attachOptions) error {
	to, err := a.trackers(o)
	if err != nil {
		return err
	}
	results, err := reports.Open(paths)
	if err != nil {
		return journalError(err)
	}
	defer func() { _ = results.Close() }()
	t, err := results.Table(reports.Options{Pool: o.Pool})
	if err != nil {
		return journalError(err)
	}
	for _, one := range to {
		if err := a.attachTo(ctx, one, t, o.DryRun); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) attachTo(ctx context.Context, to tracker, t *reports.Table, dry bool) error {
	if dry {
		body, err := to.Body(t)
		if err == nil {
			_, err = fmt.Fprint(a.Out, body)
		}
		return wrap(exitUnexpected, err)
	}
	done, err := to.Attach(ctx, t)
	if err != nil {
		return &exitError{status: exitUnexpected, err: err, hint: hintOf(err)}
	}
	word := "posted"
	if done.Updated {
		word = "updated"
	}
	_, err = fmt.Fprintf(a.Out, "%s %s\n", word, done.URL)
	return wrap(exitUnexpected, err)
}

// trackers says where to, with the tokens from the environment.
func (a *app) trackers(o attachOptions) ([]tracker, error) {
	var out []tracker
	if o.GitHub != "" {
		g, err := trackers.ParseGitHub(o.GitHub)
		if err != nil {
			return nil, wrap(exitUsage, err)
		}
		g.URL = cmp.Or(o.GitHubURL, a.getenv("GITHUB_API_URL"))
		g.Token = cmp.Or(a.getenv("GITHUB_TOKEN"), a.getenv("GH_TOKEN"))
		if g.Token == "" && !o.DryRun {
			return nil, fail(exitUsage, "set GITHUB_TOKEN to one that may write comments (issues: read and write)", "no token for %s", o.GitHub)
		}
		out = append(out, g)
	}
	if o.Jira != "" {
		j, err := a.jira(o)
		if err != nil {
			return nil, err
		}
		out = append(out, j)
	}
	if len(out) == 0 {
		return nil, &exitError{status: exitUsage, err: errors.New("no tracker given"), hint: "--github OWNER/REPO#123 or --jira KEY-1"}
	}
	return out, nil
}

func (a *app) jira(o attachOptions) (trackers.Jira, error) {
	j, err := trackers.ParseJira(o.Jira)
	if err != nil {
		return j, wrap(exitUsage, err)
	}
	j.URL = cmp.Or(o.JiraURL, a.getenv("JIRA_URL"))
	switch {
	case a.getenv("JIRA_TOKEN") != "":
		j.Token = a.getenv("JIRA_TOKEN")
	case a.getenv("JIRA_USER") != "":
		j.User, j.Token = a.getenv("JIRA_USER"), a.getenv("JIRA_API_TOKEN")
	}
	switch {
	case o.DryRun:
	case j.URL == "":
		return j, fail(exitUsage, "--jira-url https://issues.example.org, or JIRA_URL", "no address of a Jira site for %s", o.Jira)
	case j.Token == "":
		return j, fail(exitUsage, "set JIRA_USER and JIRA_API_TOKEN (Cloud) or JIRA_TOKEN (Data Center)", "no token for %s", o.Jira)
	}
	return j, nil
}
