package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
)

// H2 sends over pooled HTTP/2 connections without TLS. Create it with NewH2.
type H2 struct {
	meter     *Meter
	transport *http.Transport
}

// NewH2 gives an H2 whose connections are counted by m. One request at a time may be in flight for each address.
func NewH2(m *Meter) *H2 {
	t := &http.Transport{DialContext: m.Dial, Protocols: new(http.Protocols), DisableCompression: true}
	t.Protocols.SetUnencryptedHTTP2(true)
	return &H2{meter: m, transport: t}
}

// Close ends the idle connections; with no request in flight these are all.
func (h *H2) Close() { h.transport.CloseIdleConnections() }

// Send sends the request once. The transport below dials again when it knows that its connection is dead, which shows
// as Refused here; it does not repeat a request of which a byte was accepted, because a POST is not repeatable.
func (h *H2) Send(ctx context.Context, r Request) (Answer, error) {
	before := h.meter.Reading(r.Addr).Accepted
	var headers atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { headers.Store(true) }})
	fail := func(err error) (Answer, error) {
		f := &Failure{Addr: r.Addr, Accepted: h.meter.Reading(r.Addr).Accepted - before, Headers: headers.Load(), Err: err}
		f.Fault = h2Fault(f.Accepted, err)
		return Answer{}, f
	}
	req, err := newHTTPRequest(ctx, r)
	if err != nil {
		return Answer{}, err
	}
	resp, err := h.transport.RoundTrip(req)
	if err != nil {
		return fail(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, MaxAnswer))
	if err != nil {
		return fail(err)
	}
	a := Answer{Status: resp.StatusCode, Body: body, Accepted: h.meter.Reading(r.Addr).Accepted - before, Headers: headers.Load()}
	return a, statusFailure(r.Addr, a)
}

// h2Fault judges by the bytes first; the error only tells a refused connection from one that died before the request.
func h2Fault(accepted int64, err error) Fault {
	op, isOp := errors.AsType[*net.OpError](err)
	switch {
	case accepted == 0 && isOp && op.Op == "dial":
		return Refused
	case accepted == 0:
		return Unsent
	case errors.Is(err, context.DeadlineExceeded):
		return TimedOut
	}
	return Closed
}

func newHTTPRequest(ctx context.Context, r Request) (*http.Request, error) {
	method := r.Method
	if method == "" {
		method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+r.Addr+r.Path, bytes.NewReader(r.Body))
	if err != nil {
		return nil, fmt.Errorf("request to %q: %w", r.Addr, err)
	}
	if r.From != "" {
		req.Header.Set(RoleHeader, r.From)
	}
	return req, nil
}

// statusFailure turns an error status into a Failure, and anything else into nil.
func statusFailure(addr string, a Answer) error {
	if a.Status < 400 {
		return nil
	}
	text := string(a.Body[:min(len(a.Body), 200)])
	return &Failure{Addr: addr, Fault: Status, Code: a.Status, Accepted: a.Accepted, Headers: a.Headers, Err: fmt.Errorf("%q", text)}
}
