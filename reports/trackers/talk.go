package trackers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// The bounds of retrying: a server that asks for more patience than this is told off in an error instead.
const (
	maxTries = 5
	maxWait  = 5 * time.Minute
)

// talk is one conversation with a tracker: it notes how the last request ended, and hides the secrets.
type talk struct {
	Connection
	host    string
	secrets []string
	next    http.RoundTripper
	status  int // of the last response; 0 when there was none
	header  http.Header
}

// newTalk checks that the secrets cannot be overheard on the way to base.
func newTalk(c Connection, base string, secrets ...string) (*talk, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.User != nil {
		return nil, &Error{fmt.Sprintf("%q is no address of a tracker", line(base)), "give one such as https://jira.example.org, without a user in it"}
	}
	if ip := net.ParseIP(u.Hostname()); u.Scheme != "https" && u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, &Error{fmt.Sprintf("%s would send the token in the clear", line(base)), "use an https address"}
	}
	t := &talk{Connection: c, host: u.Host, secrets: secrets, next: http.DefaultTransport}
	if c.HTTP != nil && c.HTTP.Transport != nil {
		t.next = c.HTTP.Transport
	}
	return t, nil
}

// client sends by way of authorize, and follows redirects on the tracker's own host only: a token goes nowhere else.
func (t *talk) client(authorize func(*http.Request)) *http.Client {
	return &http.Client{
		Timeout: time.Minute,
		Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			t.status, t.header = 0, nil
			r = r.Clone(r.Context())
			if r.URL.Host == t.host {
				authorize(r)
			}
			resp, err := t.next.RoundTrip(r)
			if resp != nil {
				t.status, t.header = resp.StatusCode, resp.Header
			}
			return resp, err
		}),
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if r.URL.Host != via[0].URL.Host || len(via) > 5 {
				return fmt.Errorf("redirected to %s", line(r.URL.Host))
			}
			return nil
		},
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// persist calls try until it succeeds or fails for good. try looks for the comment first, so that one which was posted
// by a request that seemed to fail is found instead of posted twice.
func (t *talk) persist(ctx context.Context, try func(context.Context) (Result, error)) (Result, error) {
	for n := 1; ; n++ {
		t.status, t.header = 0, nil
		result, err := try(ctx)
		if err == nil || ctx.Err() != nil {
			return result, t.hide(err)
		}
		wait, again := t.patience(n)
		if !again {
			return result, t.hide(err)
		}
		if n == maxTries || wait > maxWait {
			return result, t.hide(&Error{
				fmt.Sprintf("%s answered %d %s, %d times", line(t.host), t.status, http.StatusText(t.status), n), "try again in " + wait.Round(time.Second).String(),
			})
		}
		if err := t.wait(ctx, wait); err != nil {
			return result, err
		}
	}
}

// patience says whether the last answer may be different next time, and when that is. A server's own word on it counts.
func (t *talk) patience(n int) (time.Duration, bool) {
	limited := t.status == http.StatusTooManyRequests ||
		t.status == http.StatusForbidden && (t.header.Get("Retry-After") != "" || t.header.Get("X-Ratelimit-Remaining") == "0")
	if !limited && t.status < 500 {
		return 0, false
	}
	if s := t.header.Get("Retry-After"); s != "" {
		if seconds, err := strconv.Atoi(s); err == nil && seconds >= 0 && seconds < 1<<30 {
			return time.Duration(seconds) * time.Second, true
		}
		if at, err := http.ParseTime(s); err == nil {
			return max(0, at.Sub(t.date())), true
		}
	}
	if at, err := strconv.ParseInt(t.header.Get("X-Ratelimit-Reset"), 10, 64); limited && err == nil {
		return max(0, time.Unix(at, 0).Sub(t.date())), true
	}
	return time.Second << (n - 1), true
}

// date is the server's clock: what it says of times is by that.
func (t *talk) date() time.Time {
	at, err := http.ParseTime(t.header.Get("Date"))
	if err != nil {
		return time.Now()
	}
	return at
}

func (t *talk) wait(ctx context.Context, d time.Duration) error {
	if t.Wait != nil {
		return t.Wait(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// hide makes sure that no secret is in an error, whatever made it.
func (t *talk) hide(err error) error {
	if err == nil {
		return nil
	}
	text, next := err.Error(), ""
	var e *Error
	if errors.As(err, &e) {
		text, next = e.Text, e.Next
	}
	for _, s := range t.secrets {
		if s != "" {
			text, next = strings.ReplaceAll(text, s, "(token)"), strings.ReplaceAll(next, s, "(token)")
		}
	}
	return &Error{line(text), next}
}
