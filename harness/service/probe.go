package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/failrate/failrate/harness/study"
)

// probe asks once whether something at an address answers as Ready says.
func probe(ctx context.Context, address string, r study.Ready) error {
	if r.HTTP == "" {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err != nil {
			return err
		}
		return conn.Close()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+r.HTTP, nil)
	if err != nil {
		return err
	}
	t := &http.Transport{DisableKeepAlives: true, ResponseHeaderTimeout: oneProbe} // no proxy: it is our own service
	defer t.CloseIdleConnections()
	answer, err := t.RoundTrip(req) // and no redirects
	if err != nil {
		return fmt.Errorf("GET %s: %w", r.HTTP, err)
	}
	const most = 1 << 20
	_, err = io.CopyN(io.Discard, answer.Body, most)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if err = errors.Join(err, answer.Body.Close()); err == nil && answer.StatusCode != r.Status {
		err = fmt.Errorf("GET %s: status %d", r.HTTP, answer.StatusCode)
	}
	return err
}

// endPatience is what a service gets between TERM and KILL when a subject stops it.
const endPatience = 10 * time.Second
