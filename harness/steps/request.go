package steps

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// The bounds of what is taken from a server, in bytes.
const (
	maxBody    = 1 << 20 // of an answer that are kept; the rest is not read
	maxHeaders = 256 << 10
)

// answer is what came of one request.
type answer struct {
	status int    // 0 means that none came
	body   []byte // at most maxBody
	more   bool   // the body is longer
	broken string // why there is no whole answer; empty when there is one
	local  bool   // this machine is to blame for that
	took   time.Duration
}

// newClient makes a client that adds nothing of its own: every request has a connection of its own, because a client that
// keeps some sends a request again, unasked, when it meets a dead one; no redirects, no cookies, no proxy, nothing
// unpacked.
func newClient() *http.Client {
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext:            (&net.Dialer{}).DialContext,
			DisableKeepAlives:      true,
			DisableCompression:     true,
			MaxResponseHeaderBytes: maxHeaders,
			TLSNextProto:           map[string]func(string, *tls.Conn) http.RoundTripper{}, // HTTP/1.1 alone
		},
	}
}

// request is a filled-in request. Its body is read once.
func (n names) request(s Step, dir string) (*http.Request, error) {
	// What follows a # is never sent, so that a value's own has to be spelt otherwise. Its other signs may be meant.
	address, err := n.replace(s.URL, func(value string) string { return strings.ReplaceAll(value, "#", "%23") })
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("%s is not a URL", excerpt([]byte(address), maxShown))
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%s is not the URL of a request", excerpt([]byte(address), maxShown))
	}
	body, size, err := n.body(s, dir)
	if err != nil {
		return nil, err
	}
	r := &http.Request{Method: s.Method, URL: u, Host: u.Host, Header: http.Header{"User-Agent": {"failrate"}}, Body: body, ContentLength: size}
	for _, name := range slices.Sorted(maps.Keys(s.Headers)) {
		value, err := n.fill(s.Headers[name])
		if err != nil {
			return nil, errors.Join(err, closeBody(body))
		}
		if strings.ContainsAny(value, "\r\n\x00") {
			return nil, errors.Join(fmt.Errorf("the header %s holds a line break", name), closeBody(body))
		}
		if http.CanonicalHeaderKey(name) == "Host" {
			r.Host = value
		}
		r.Header.Set(name, value)
	}
	return r, nil
}

func closeBody(body io.Closer) error {
	if body == nil {
		return nil
	}
	return body.Close()
}

// body is what is sent. The file is one of the tree, and no link leads out of it.
func (n names) body(s Step, dir string) (io.ReadCloser, int64, error) {
	if s.BodyFile == "" {
		text, err := n.fill(s.Body)
		if err != nil || text == "" {
			return nil, 0, err
		}
		return io.NopCloser(strings.NewReader(text)), int64(len(text)), nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, 0, fmt.Errorf("body-file: %w", err)
	}
	defer root.Close()
	info, err := root.Stat(s.BodyFile)
	if err != nil {
		return nil, 0, fmt.Errorf("body-file: %w", err)
	}
	if !info.Mode().IsRegular() { // a pipe would be waited for
		return nil, 0, fmt.Errorf("body-file: %s is not a file", s.BodyFile)
	}
	f, err := root.Open(s.BodyFile)
	if err != nil {
		return nil, 0, fmt.Errorf("body-file: %w", err)
	}
	return f, info.Size(), nil
}

// send sends a request and takes as much of the answer as is kept.
func send(ctx context.Context, c *http.Client, r *http.Request, limit time.Duration) answer {
	begin := time.Now()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var connected atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }})
	got := answer{}
	resp, err := c.Do(r.WithContext(ctx))
	if err != nil {
		at := connecting
		if connected.Load() {
			at = awaiting
		}
		got.broken, got.local = reason(err, at, limit)
		got.took = time.Since(begin)
		return got
	}
	defer resp.Body.Close()
	got.status = resp.StatusCode
	got.body, err = io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if len(got.body) > maxBody {
		got.body, got.more = got.body[:maxBody], true
	} else if err != nil {
		got.broken, got.local = reason(err, reading, limit)
	}
	got.took = time.Since(begin)
	return got
}
