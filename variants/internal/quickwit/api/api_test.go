package api

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/failrate/failrate/variants/internal/quickwit"
)

const indexConfig = `{"version": "0.8", "index_id": "a", "indexing_settings": {"commit_timeout_secs": 1}}`

type client struct {
	*testing.T
	url string
}

// newClient serves a cluster whose broadcasts are far away.
func newClient(t *testing.T, cfg quickwit.Config) client {
	t.Helper()
	clock := quickwit.NewReal()
	t.Cleanup(clock.Close)
	cfg.Phase, cfg.Cooldown = time.Hour, -1
	c := quickwit.NewCluster(cfg, clock, quickwit.Dice("test"))
	s := httptest.NewServer(Handler(c, clock, 0, quickwit.NodeName))
	t.Cleanup(s.Close)
	return client{t, s.URL}
}

// ask wants a status and a text in the answer.
func (c client) ask(method, path, body string, status int, want string) []byte {
	c.Helper()
	req, err := http.NewRequestWithContext(c.Context(), method, c.url+path, strings.NewReader(body))
	if err != nil {
		c.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != status || !strings.Contains(string(text), want) {
		c.Fatalf("%s %s: %d %s, want %d with %q", method, path, resp.StatusCode, text, status, want)
	}
	return text
}

func build(t *testing.T, name string) quickwit.Build {
	t.Helper()
	b, ok := quickwit.BuildNamed(name)
	if !ok {
		t.Fatal(name)
	}
	return b
}

// TestReportersScript plays the report over HTTP, in real time.
func TestReportersScript(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{"uid-compare": 503, "fix1": 200, "good-92a526b": 200} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClient(t, quickwit.Config{Build: build(t, name)})
			docs := "{\"m\":1}\n{\"m\":2}\n\n{\"m\":3}\n"
			c.ask("GET", "/health/readyz", "", 200, "true")
			first := c.ask("POST", "/api/v1/indexes", indexConfig, 200, `"index_uid":"a:`)
			c.ask("POST", "/api/v1/indexes", indexConfig, 400, "already exists")
			c.ask("POST", "/api/v1/a/ingest", docs, 200, `"num_ingested_docs":3`)
			c.ask("DELETE", "/api/v1/indexes/a", "", 200, "[]")
			second := c.ask("POST", "/api/v1/indexes", indexConfig, 200, `"index_uid":"a:`)
			if string(first) == string(second) {
				t.Errorf("twice %s", first)
			}
			var table map[string]struct {
				Router struct {
					Table map[string][]route `json:"routing_table"`
				} `json:"ingest_router"`
			}
			if err := json.Unmarshal(c.ask("GET", "/api/developer/debug", "", 200, "routing_table"), &table); err != nil {
				t.Fatal(err)
			}
			if rows := table["node-1"].Router.Table["a"]; len(rows) != 1 || rows[0].Open != 1 || rows[0].Source != quickwit.Source || rows[0].Node != "node-1" {
				t.Errorf("routing table %+v", rows)
			}
			text := ""
			if want == 503 {
				text = `{"message":"ingest service is unavailable (no shards available)"}`
			}
			c.ask("POST", "/api/v1/a/ingest", docs, want, text)
			if want == 200 {
				c.ask("POST", "/api/v1/a/ingest?commit=force", docs, 200, `"num_ingested_docs":3`)
				c.ask("GET", "/api/v1/a/search?query=*", "", 200, `"num_hits":`)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	c := newClient(t, quickwit.Config{Boot: time.Hour})
	c.ask("GET", "/health/livez", "", 200, "true")
	c.ask("GET", "/health/readyz", "", 503, "false")
	c.ask("GET", "/api/v1/version", "", 200, "model")
	for _, bad := range []string{"", "{", `{"index_id": "a"}`, `{"version": "0.8"}`, `{"version": "0.8", "index_id": "a", "indexing_settings": {"commit_timeout_secs": -1}}`} {
		c.ask("POST", "/api/v1/indexes", bad, 400, "invalid index config")
	}
	for _, path := range []string{"DELETE /api/v1/indexes/a", "GET /api/v1/indexes/a", "GET /api/v1/a/search", "POST /api/v1/a/ingest"} {
		method, url, _ := strings.Cut(path, " ")
		c.ask(method, url, "", 404, "index `a` not found")
	}
	c.ask("GET", "/api/v1/a/ingest", "", 404, "Route not found")
	c.ask("POST", "/api/v1/a/ingest?commit=now", "", 400, "commit is auto")
	c.ask("POST", "/api/v1/a/ingest", strings.Repeat("x", maxBody+1), 413, "too large")
	c.ask("POST", "/api/v1/indexes", indexConfig, 200, `"index_id":"a"`)
	c.ask("GET", "/api/v1/indexes/a", "", 200, fmt.Sprintf("%q", "index_uid"))
	c.ask("POST", "/api/v1/a/ingest", "{}", 503, "no shards available")
}
