package service

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/failrate/failrate/harness/steps"
)

func TestControl(t *testing.T) {
	t.Parallel()
	var done []string
	c, err := newControl(func(_ context.Context, a steps.Action, service string) error {
		done = append(done, string(a)+" "+service)
		if service != "node" {
			return errors.New("two\nlines")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	root := c.url[:strings.LastIndex(c.url, "/")]
	for _, ask := range []struct{ method, url, want string }{
		{"POST", c.url + "/cut/node", "204 "},
		{"POST", c.url + "/cut/other", "409 two; lines\n"},
		{"POST", c.url + "/explode/node", "404 what is asked for is not of the form /ACTION/SERVICE with an action that is known\n"},
		{"POST", c.url, "404 what is asked for is not of the form /ACTION/SERVICE with an action that is known\n"},
		{"GET", c.url + "/cut/node", "405 actions are sent by POST\n"},
		{"POST", root + "/cut/node", "404 404 page not found\n"},
		{"POST", root + "/" + strings.Repeat("a", 26) + "/cut/node", "404 404 page not found\n"},
		{"POST", root, "404 404 page not found\n"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), ask.method, ask.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(a.Body)
		a.Body.Close()
		if got := a.Status[:4] + string(text); err != nil || got != ask.want {
			t.Errorf("%s %s: %q, %v; want %q", ask.method, ask.url[len(root):], got, err, ask.want)
		}
	}
	if err := c.close(); err != nil {
		t.Error(err)
	}
	if got := strings.Join(done, ", "); got != "cut node, cut other" {
		t.Errorf("carried out: %s", got)
	}
}
