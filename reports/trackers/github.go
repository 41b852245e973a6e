package trackers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/google/go-github/v81/github"

	"github.com/failrate/failrate/reports"
)

// GitHub is an issue or a pull request.
type GitHub struct {
	URL    string // of GitHub Enterprise or its API; empty means github.com
	Owner  string
	Repo   string
	Number int
	Token  string
	Connection
}

var githubPlace = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9-]*)/([A-Za-z0-9._-]+)#([0-9]{1,9})$`)

// ParseGitHub reads a place such as apache/solr#4451.
func ParseGitHub(place string) (GitHub, error) {
	m := githubPlace.FindStringSubmatch(place)
	if m == nil {
		return GitHub{}, fmt.Errorf("%.80q is not of the form OWNER/REPO#123", place)
	}
	n, err := strconv.Atoi(m[3])
	return GitHub{Owner: m[1], Repo: m[2], Number: n}, err
}

func (g GitHub) place() string { return fmt.Sprintf("%s/%s#%d", g.Owner, g.Repo, g.Number) }

// Body is the comment: a hidden mark, then the Markdown form within GitHub's limit.
func (g GitHub) Body(t *reports.Table) (string, error) {
	return within(reports.MarkdownComment, "<!-- "+Mark(t)+" -->\n", func(b *strings.Builder, room int) error {
		return reports.MarkdownWithin(b, t, room)
	})
}

// Attach posts the table as a comment, or updates the one that an earlier run posted.
func (g GitHub) Attach(ctx context.Context, t *reports.Table) (Result, error) {
	body, err := g.Body(t)
	if err != nil {
		return Result{}, err
	}
	base := g.URL
	if base == "" {
		base = "https://api.github.com/"
	}
	talk, err := newTalk(g.Connection, base, g.Token)
	if err != nil {
		return Result{}, err
	}
	client := github.NewClient(talk.client(func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+g.Token) }))
	if g.URL != "" {
		if client, err = client.WithEnterpriseURLs(g.URL, g.URL); err != nil {
			return Result{}, talk.hide(err)
		}
	}
	client.DisableRateLimitCheck = true // persist waits as the server asks
	return talk.persist(ctx, func(ctx context.Context) (Result, error) {
		result, err := g.put(ctx, talk, client, Mark(t), body)
		return result, g.explain(talk, err)
	})
}

// put updates the newest comment with the mark; when that is somebody else's, it posts one of its own.
func (g GitHub) put(ctx context.Context, talk *talk, client *github.Client, mark, body string) (Result, error) {
	earlier, err := g.find(ctx, client, "<!-- "+mark+" -->")
	if err != nil {
		return Result{}, err
	}
	comment := &github.IssueComment{Body: &body}
	if earlier != 0 {
		done, _, err := client.Issues.EditComment(ctx, g.Owner, g.Repo, earlier, comment)
		if err == nil {
			return Result{URL: done.GetHTMLURL(), Updated: true}, nil
		}
		if talk.status != http.StatusForbidden && talk.status != http.StatusNotFound {
			return Result{}, err
		}
		if _, again := talk.patience(1); again {
			return Result{}, err
		}
	}
	done, _, err := client.Issues.CreateComment(ctx, g.Owner, g.Repo, g.Number, comment)
	return Result{URL: done.GetHTMLURL()}, err
}

// find gives the newest comment that begins with the mark; 0 when there is none.
func (g GitHub) find(ctx context.Context, client *github.Client, mark string) (int64, error) {
	found := int64(0)
	page := &github.IssueListCommentsOptions{ListOptions: github.ListOptions{PerPage: 100}}
	for {
		comments, resp, err := client.Issues.ListComments(ctx, g.Owner, g.Repo, g.Number, page)
		if err != nil {
			return 0, err
		}
		for _, c := range comments {
			if strings.HasPrefix(c.GetBody(), mark) {
				found = c.GetID()
			}
		}
		if resp.NextPage <= page.Page {
			return found, nil
		}
		page.Page = resp.NextPage
	}
}

// explain turns GitHub's answer into one line with the next step.
func (g GitHub) explain(talk *talk, err error) error {
	if err == nil {
		return nil
	}
	said := ""
	var answer *github.ErrorResponse
	if errors.As(err, &answer) {
		said = line(answer.Message)
	}
	switch talk.status {
	case http.StatusUnauthorized:
		return &Error{talk.host + " refused the token", "set GITHUB_TOKEN to one that is valid and may write comments (issues: read and write)"}
	case http.StatusForbidden:
		if strings.Contains(strings.ToLower(said), "locked") {
			return &Error{"the conversation of " + g.place() + " is locked", "unlock it, or use the token of somebody who may write there"}
		}
		return &Error{fmt.Sprintf("the token may not comment on %s: %s", g.place(), said), "give it the permission issues: read and write (in a workflow: permissions: issues: write)"}
	case http.StatusNotFound, http.StatusGone:
		return &Error{talk.host + " has no " + g.place(), "check owner, repository and number; a private repository needs a token that may read it"}
	case http.StatusUnprocessableEntity:
		return &Error{fmt.Sprintf("%s does not take the comment: %s", talk.host, said), "look at it with --dry-run"}
	case 0:
		return &Error{fmt.Sprintf("%s cannot be reached: %v", talk.host, err), "check the network, or the address of --github-url"}
	}
	return &Error{fmt.Sprintf("%s answered %d: %s", talk.host, talk.status, said), "try again later"}
}
