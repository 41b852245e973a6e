package trackers

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/andygrunwald/go-jira"

	"github.com/failrate/failrate/reports"
)

// Jira is an issue of Jira Cloud (User and Token: an account's address and its API token) or of Jira Data Center (Token
// alone: a personal access token).
type Jira struct {
	URL   string
	Key   string // such as SOLR-18530
	User  string
	Token string
	Connection
}

var jiraKey = regexp.MustCompile(`^[A-Z][A-Z0-9_]{1,30}-[0-9]{1,9}$`)

// ParseJira reads an issue's key.
func ParseJira(key string) (Jira, error) {
	if !jiraKey.MatchString(key) {
		return Jira{}, fmt.Errorf("%.80q is no key of an issue, such as SOLR-18530", key)
	}
	return Jira{Key: key}, nil
}

// Body is the comment: the mark as an anchor, which does not show, then the wiki markup within Jira's limit. Jira Cloud
// keeps no anchors, so the mark is in the small print at the end, too.
func (j Jira) Body(t *reports.Table) (string, error) {
	mark := Mark(t)
	foot := "\n{color:#707070}^report " + strings.ReplaceAll(mark, "-", `\-`) + "^{color}\n"
	body, err := within(reports.JiraComment-len(foot), "{anchor:"+mark+"}\n", func(b *strings.Builder, room int) error {
		return reports.JiraWithin(b, t, room)
	})
	return body + foot, err
}

// Attach posts the table as a comment, or updates the one that an earlier run posted.
func (j Jira) Attach(ctx context.Context, t *reports.Table) (Result, error) {
	body, err := j.Body(t)
	if err != nil {
		return Result{}, err
	}
	talk, err := newTalk(j.Connection, j.URL, j.Token)
	if err != nil {
		return Result{}, err
	}
	client, err := jira.NewClient(talk.client(j.authorize), j.URL)
	if err != nil {
		return Result{}, talk.hide(err)
	}
	return talk.persist(ctx, func(ctx context.Context) (Result, error) {
		result, err := j.put(ctx, talk, client, Mark(t), body)
		return result, j.explain(talk, err)
	})
}

func (j Jira) authorize(r *http.Request) {
	if j.User != "" {
		r.SetBasicAuth(j.User, j.Token)
		return
	}
	r.Header.Set("Authorization", "Bearer "+j.Token)
}

func (j Jira) put(ctx context.Context, talk *talk, client *jira.Client, mark, body string) (Result, error) {
	earlier, err := j.find(ctx, client, mark)
	if err != nil {
		return Result{}, err
	}
	if earlier != "" {
		_, resp, err := client.Issue.UpdateCommentWithContext(ctx, j.Key, &jira.Comment{ID: earlier, Body: body})
		drain(resp)
		if err == nil {
			return Result{URL: j.address(earlier), Updated: true}, nil
		}
		if talk.status != http.StatusForbidden && talk.status != http.StatusBadRequest {
			return Result{}, err
		}
	}
	done, resp, err := client.Issue.AddCommentWithContext(ctx, j.Key, &jira.Comment{Body: body})
	drain(resp)
	if err != nil {
		return Result{}, err
	}
	return Result{URL: j.address(done.ID)}, nil
}

func (j Jira) address(comment string) string {
	return strings.TrimSuffix(j.URL, "/") + "/browse/" + j.Key + "?focusedCommentId=" + url.QueryEscape(comment)
}

// commentPage is a page of an issue's comments, as both editions give it.
type commentPage struct {
	StartAt    int `json:"startAt"`
	MaxResults int `json:"maxResults"`
	Total      int `json:"total"`
	Comments   []struct {
		ID   string `json:"id"`
		Body string `json:"body"`
	} `json:"comments"`
}

// find gives the newest comment with the mark; "" when there is none.
func (j Jira) find(ctx context.Context, client *jira.Client, mark string) (string, error) {
	found := ""
	escaped := strings.ReplaceAll(mark, "-", `\-`)
	for at := 0; ; {
		path := fmt.Sprintf("rest/api/2/issue/%s/comment?startAt=%d&maxResults=100", j.Key, at)
		r, err := client.NewRequestWithContext(ctx, http.MethodGet, path, nil)
		if err != nil {
			return "", err
		}
		var page commentPage
		resp, err := client.Do(r, &page)
		drain(resp)
		if err != nil {
			return "", err
		}
		for _, c := range page.Comments {
			if strings.HasPrefix(c.Body, "{anchor:"+mark+"}") || strings.Contains(c.Body, "report "+escaped) || strings.Contains(c.Body, "report "+mark) {
				found = c.ID
			}
		}
		at += len(page.Comments)
		if len(page.Comments) == 0 || at >= page.Total {
			return found, nil
		}
	}
}

// drain frees the connection.
func drain(resp *jira.Response) {
	if resp != nil && resp.Response != nil && resp.Body != nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20))
		_ = resp.Body.Close()
	}
}

// explain turns Jira's answer into one line with the next step.
func (j Jira) explain(talk *talk, err error) error {
	if err == nil {
		return nil
	}
	switch talk.status {
	case http.StatusUnauthorized:
		return &Error{talk.host + " refused the token", "set JIRA_USER and JIRA_API_TOKEN (Cloud) or JIRA_TOKEN (Data Center) to ones that are valid"}
	case http.StatusForbidden:
		return &Error{"the account may not comment on " + j.Key, "ask for the permission Add comments, or whether the issue is locked (closed issues often are)"}
	case http.StatusNotFound:
		return &Error{talk.host + " has no " + j.Key + " that this account sees", "check the key, and that the account may browse the project"}
	case http.StatusBadRequest:
		return &Error{talk.host + " does not take the comment", "the issue may be closed to comments; look at the comment with --dry-run"}
	case 0:
		return &Error{fmt.Sprintf("%s cannot be reached: %v", talk.host, err), "check the network, or the address of --jira-url"}
	}
	return &Error{fmt.Sprintf("%s answered %d", talk.host, talk.status), "try again later"}
}
