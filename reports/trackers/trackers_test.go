package trackers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/failrate/failrate/harness/journal"
	"github.com/failrate/failrate/reports"
)

const secret = "ghp_0123456789secret"

// table is a small table with a mention in it.
func table(study string) *reports.Table {
	return &reports.Table{
		Study: study, Level: 0.95, Verdicts: []string{"a: fixed @everyone"},
		Sources: []reports.Source{{Host: journal.Host{Name: "h1"}}},
	}
}

// site is a server that keeps an issue's comments, in GitHub's and in Jira's documented shapes.
type site struct {
	*httptest.Server
	mu       sync.Mutex
	comments []string // body by id - 1
	requests []string
	auth     map[string]bool
	fail     []func(http.ResponseWriter) // answers to give before the real ones
	lose     bool                        // keep the next new comment, and answer 502
	waits    []time.Duration
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{auth: map[string]bool{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v3/repos/o/r/issues/7/comments", s.githubList)
	mux.HandleFunc("POST /api/v3/repos/o/r/issues/7/comments", s.githubAdd)
	mux.HandleFunc("PATCH /api/v3/repos/o/r/issues/comments/{id}", s.githubEdit)
	mux.HandleFunc("GET /rest/api/2/issue/SOLR-1/comment", s.jiraList)
	mux.HandleFunc("POST /rest/api/2/issue/SOLR-1/comment", s.jiraAdd)
	mux.HandleFunc("PUT /rest/api/2/issue/SOLR-1/comment/{id}", s.jiraEdit)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { answer(w, 404, map[string]any{"message": "Not Found"}) })
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.requests = append(s.requests, r.Method+" "+r.URL.RequestURI())
		s.auth[r.Header.Get("Authorization")] = true
		if len(s.fail) > 0 {
			f := s.fail[0]
			s.fail = s.fail[1:]
			f(w)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *site) connection() Connection {
	return Connection{Wait: func(_ context.Context, d time.Duration) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.waits = append(s.waits, d)
		return nil
	}}
}

func (s *site) github() GitHub {
	return GitHub{URL: s.URL, Owner: "o", Repo: "r", Number: 7, Token: secret, Connection: s.connection()}
}

func (s *site) jira() Jira {
	return Jira{URL: s.URL, Key: "SOLR-1", User: "me@example.org", Token: secret, Connection: s.connection()}
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// body reads the one field that both trackers take, and refuses any other.
func body(w http.ResponseWriter, r *http.Request, limit int) (string, bool) {
	data, _ := io.ReadAll(r.Body)
	var in map[string]any
	if err := json.Unmarshal(data, &in); err != nil {
		answer(w, 400, map[string]any{"message": "Problems parsing JSON"})
		return "", false
	}
	text, _ := in["body"].(string)
	if len(text) > limit || text == "" {
		answer(w, 422, map[string]any{"message": "Validation Failed", "errors": []any{map[string]any{"code": "custom", "message": "body is too long"}}})
		return "", false
	}
	return text, true
}

func (s *site) githubComment(i int) map[string]any {
	return map[string]any{"id": i + 1, "body": s.comments[i], "html_url": fmt.Sprintf("%s/o/r/issues/7#issuecomment-%d", s.URL, i+1), "user": map[string]any{"login": "me"}}
}

func (s *site) githubList(w http.ResponseWriter, r *http.Request) {
	page, size := 1, 2 // two to a page, whatever was asked for: a server may give fewer
	_, _ = fmt.Sscan(r.URL.Query().Get("page"), &page)
	page = max(page, 1)
	out := []any{}
	for i := (page - 1) * size; i < min(page*size, len(s.comments)); i++ {
		out = append(out, s.githubComment(i))
	}
	if page*size < len(s.comments) {
		w.Header().Set("Link", fmt.Sprintf(`<%s%s?page=%d>; rel="next"`, s.URL, r.URL.Path, page+1))
	}
	answer(w, 200, out)
}

func (s *site) githubAdd(w http.ResponseWriter, r *http.Request) {
	text, ok := body(w, r, reports.MarkdownComment)
	if !ok {
		return
	}
	s.comments = append(s.comments, text)
	if s.lose {
		s.lose = false
		answer(w, 502, map[string]any{"message": "Bad Gateway"})
		return
	}
	answer(w, 201, s.githubComment(len(s.comments)-1))
}

func (s *site) githubEdit(w http.ResponseWriter, r *http.Request) {
	if text, ok := body(w, r, reports.MarkdownComment); ok {
		i := number(r) - 1
		s.comments[i] = text
		answer(w, 200, s.githubComment(i))
	}
}

func number(r *http.Request) (n int) {
	_, _ = fmt.Sscan(r.PathValue("id"), &n)
	return n
}

func (s *site) jiraComment(i int) map[string]any {
	return map[string]any{"id": fmt.Sprint(i + 1), "body": s.comments[i], "self": s.URL, "created": "2026-01-02T03:04:05.000+0000"}
}

func (s *site) jiraList(w http.ResponseWriter, r *http.Request) {
	at := 0
	_, _ = fmt.Sscan(r.URL.Query().Get("startAt"), &at)
	out := []any{}
	for i := at; i < min(at+2, len(s.comments)); i++ {
		out = append(out, s.jiraComment(i))
	}
	answer(w, 200, map[string]any{"startAt": at, "maxResults": 2, "total": len(s.comments), "comments": out})
}

func (s *site) jiraAdd(w http.ResponseWriter, r *http.Request) {
	if text, ok := body(w, r, reports.JiraComment); ok {
		s.comments = append(s.comments, text)
		answer(w, 201, s.jiraComment(len(s.comments)-1))
	}
}

func (s *site) jiraEdit(w http.ResponseWriter, r *http.Request) {
	if text, ok := body(w, r, reports.JiraComment); ok {
		s.comments[number(r)-1] = text
		answer(w, 200, s.jiraComment(number(r)-1))
	}
}

type attacher interface {
	Attach(context.Context, *reports.Table) (Result, error)
}

// TestUpdatesItsOwnComment posts, posts again, and posts for another study, among the comments of others.
func TestUpdatesItsOwnComment(t *testing.T) {
	t.Parallel()
	for name, to := range map[string]func(*site) attacher{
		"github": func(s *site) attacher { return s.github() }, "jira": func(s *site) attacher { return s.jira() },
	} {
		s := newSite(t)
		s.comments = []string{"one", "quoting <!-- " + Mark(table("a")) + " --> in the middle", "three"}
		for i, study := range []string{"a", "a", "b", "a"} {
			got, err := to(s).Attach(t.Context(), table(study))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if want := i == 1 || i == 3; got.Updated != want || got.URL == "" {
				t.Errorf("%s, run %d: %+v, want updated %v", name, i+1, got, want)
			}
		}
		if len(s.comments) != 5 || s.comments[0] != "one" || !strings.Contains(s.comments[3], Mark(table("a"))) || !strings.Contains(s.comments[4], Mark(table("b"))) {
			t.Errorf("%s: comments %q", name, s.comments)
		}
		if strings.Contains(strings.Join(s.comments, ""), "@everyone") {
			t.Errorf("%s: a mention came alive", name)
		}
		want := map[string]string{"github": "Bearer " + secret, "jira": "Basic bWVAZXhhbXBsZS5vcmc6Z2hwXzAxMjM0NTY3ODlzZWNyZXQ="}[name]
		if len(s.auth) != 1 || !s.auth[want] {
			t.Errorf("%s: authorized by %v", name, s.auth)
		}
	}
}

// TestALostAnswerIsNoSecondComment has the server keep a comment and answer that it failed.
func TestALostAnswerIsNoSecondComment(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.lose = true
	got, err := s.github().Attach(t.Context(), table("a"))
	if err != nil || !got.Updated || len(s.comments) != 1 {
		t.Errorf("%+v, %v, %d comments: want the one that was kept, updated", got, err, len(s.comments))
	}
}

// TestRetriesAsTheServerAsks gives limits and faults before answers.
func TestRetriesAsTheServerAsks(t *testing.T) {
	t.Parallel()
	refuse := func(status int, headers ...string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			for i := 0; i+1 < len(headers); i += 2 {
				w.Header().Set(headers[i], headers[i+1])
			}
			answer(w, status, map[string]any{"message": "slow down"})
		}
	}
	date := "Tue, 01 Dec 2026 10:00:00 GMT"
	for _, to := range []func(*site) attacher{func(s *site) attacher { return s.github() }, func(s *site) attacher { return s.jira() }} {
		s := newSite(t)
		s.fail = []func(http.ResponseWriter){
			refuse(429, "Retry-After", "17"), refuse(503), refuse(503, "Retry-After", "Tue, 01 Dec 2026 10:00:30 GMT", "Date", date),
			refuse(403, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", fmt.Sprint(time.Date(2026, 12, 1, 10, 1, 0, 0, time.UTC).Unix()), "Date", date),
		}
		if _, err := to(s).Attach(t.Context(), table("a")); err != nil {
			t.Fatal(err)
		}
		want := []time.Duration{17 * time.Second, 2 * time.Second, 30 * time.Second, time.Minute}
		if fmt.Sprint(s.waits) != fmt.Sprint(want) {
			t.Errorf("waited %v, want %v", s.waits, want)
		}
	}
	s := newSite(t)
	s.fail = []func(http.ResponseWriter){refuse(429, "Retry-After", "3600")}
	if _, err := s.github().Attach(t.Context(), table("a")); err == nil || len(s.waits) != 0 || !strings.Contains(err.Error(), "429") {
		t.Errorf("it waited %v for a server that asks for an hour: %v", s.waits, err)
	}
	for range 9 {
		s.fail = append(s.fail, refuse(500))
	}
	s.requests = nil
	if _, err := s.github().Attach(t.Context(), table("a")); err == nil || len(s.requests) != maxTries {
		t.Errorf("%d requests, want %d: %v", len(s.requests), maxTries, err)
	}
}

// TestErrorsAreOneLineWithTheNextStep walks what trackers refuse.
func TestErrorsAreOneLineWithTheNextStep(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status                 int
		message                string
		github, jira, nextStep string
	}{
		{401, "Bad credentials " + secret, "refused the token", "refused the token", "set "},
		{403, "Unable to create comment because issue is locked.", "is locked", "may not comment", ""},
		{403, "Resource not accessible by integration\n\x1b[31m", "may not comment on o/r#7: Resource", "may not comment on SOLR-1", ""},
		{404, "Not Found", "has no o/r#7", "has no SOLR-1", "check"},
		{410, "This issue was deleted", "has no o/r#7", "answered 410", ""},
		{422, "Validation Failed " + secret, "does not take the comment", "answered 422", ""},
	} {
		for name, to := range map[string]func(*site) attacher{
			"github": func(s *site) attacher { return s.github() }, "jira": func(s *site) attacher { return s.jira() },
		} {
			s := newSite(t)
			s.fail = []func(http.ResponseWriter){func(w http.ResponseWriter) { answer(w, c.status, map[string]any{"message": c.message}) }}
			_, err := to(s).Attach(t.Context(), table("a"))
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("%s, %d: %v", name, c.status, err)
			}
			want := map[string]string{"github": c.github, "jira": c.jira}[name]
			if !strings.Contains(e.Text, want) || e.Next == "" || !strings.Contains(e.Next, c.nextStep) {
				t.Errorf("%s, %d: %q, next %q; want %q", name, c.status, e.Text, e.Next, want)
			}
			if all := e.Text + e.Next; strings.ContainsAny(all, "\n\x1b") || strings.Contains(all, secret) {
				t.Errorf("%s, %d: %q is not one clean line without the token", name, c.status, all)
			}
		}
	}
}

// TestTheTokenStaysWithTheTracker redirects elsewhere, and is asked to go in the clear.
func TestTheTokenStaysWithTheTracker(t *testing.T) {
	t.Parallel()
	other := newSite(t)
	s := newSite(t)
	s.fail = []func(http.ResponseWriter){func(w http.ResponseWriter) {
		w.Header().Set("Location", other.URL)
		w.WriteHeader(http.StatusTemporaryRedirect)
	}}
	if _, err := s.jira().Attach(t.Context(), table("a")); err == nil || len(other.requests) != 0 {
		t.Errorf("it followed to another host: %v, %v", other.requests, err)
	}
	for _, address := range []string{"http://jira.example.org", "https://user:pw@jira.example.org", "jira.example.org", ""} {
		j := s.jira()
		j.URL = address
		if _, err := j.Attach(t.Context(), table("a")); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("%q: %v", address, err)
		}
	}
}

// TestPlaces reads addresses, and refuses what could leave the path of a request.
func TestPlaces(t *testing.T) {
	t.Parallel()
	if g, err := ParseGitHub("apache/solr#4451"); err != nil || g.Owner != "apache" || g.Repo != "solr" || g.Number != 4451 {
		t.Errorf("%+v, %v", g, err)
	}
	for _, bad := range []string{"", "apache/solr", "a/b/c#1", "../x#1", "a/b#x", "a/b?c#1", "a b/c#1"} {
		if _, err := ParseGitHub(bad); err == nil {
			t.Errorf("%q is taken for a place on GitHub", bad)
		}
	}
	for _, bad := range []string{"", "solr-1", "SOLR", "SOLR-1/../2", "SOLR-x"} {
		if _, err := ParseJira(bad); err == nil {
			t.Errorf("%q is taken for a key", bad)
		}
	}
}

// TestBodiesFit posts a table far above the trackers' limits.
func TestBodiesFit(t *testing.T) {
	t.Parallel()
	big := table("a")
	for i := range 5000 {
		big.Verdicts = append(big.Verdicts, fmt.Sprintf("v%d: fixed {x} | @y", i))
	}
	s := newSite(t)
	for _, to := range []attacher{s.github(), s.jira()} {
		if _, err := to.Attach(t.Context(), big); err != nil {
			t.Error(err)
		}
	}
}
