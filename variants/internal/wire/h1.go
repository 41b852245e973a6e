package wire

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// H1 sends over HTTP/1.1 as a client with blocking sockets does: one connection for each address, one write for the
// whole request, and nobody reads in between. A peer that closed while the connection was idle is found only after the
// next request was written. Create it with NewH1.
type H1 struct {
	meter *Meter
	mu    sync.Mutex // one request at a time
	conns map[string]*h1Conn
}

type h1Conn struct {
	net.Conn
	answers *bufio.Reader
}

// NewH1 gives an H1 whose connections are counted by m.
func NewH1(m *Meter) *H1 { return &H1{meter: m, conns: map[string]*h1Conn{}} }

// Close ends the connections.
func (h *H1) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for addr := range h.conns {
		h.drop(addr)
	}
}

// Send sends the request once, over the address's connection or a new one. A connection that failed is not kept.
func (h *H1) Send(ctx context.Context, r Request) (Answer, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	head, err := h1Bytes(ctx, r)
	if err != nil {
		return Answer{}, err
	}
	c := h.conns[r.Addr]
	if c == nil {
		raw, err := h.meter.Dial(ctx, "tcp", r.Addr)
		if err != nil {
			return Answer{}, &Failure{Addr: r.Addr, Fault: Refused, Err: err}
		}
		c = &h1Conn{Conn: raw, answers: bufio.NewReader(raw)}
		h.conns[r.Addr] = c
	}
	deadline, _ := ctx.Deadline() // the zero time means none
	if err := c.SetDeadline(deadline); err != nil {
		h.drop(r.Addr)
		return Answer{}, &Failure{Addr: r.Addr, Fault: Unsent, Err: err}
	}
	defer context.AfterFunc(ctx, func() { c.SetDeadline(time.Unix(1, 0)) })() // ends a blocked read; the only error is a closed connection
	n, err := c.Write(head)
	if err != nil {
		h.drop(r.Addr)
		return Answer{}, &Failure{Addr: r.Addr, Fault: h1WriteFault(n), Accepted: int64(n), Err: err}
	}
	a, err := h.read(c)
	if err != nil {
		h.drop(r.Addr)
		return Answer{}, &Failure{Addr: r.Addr, Fault: h1ReadFault(err), Accepted: int64(n), Headers: true, Err: err}
	}
	a.Accepted, a.Headers = int64(n), true
	return a, statusFailure(r.Addr, a)
}

// read takes one answer off the connection.
func (h *H1) read(c *h1Conn) (Answer, error) {
	if _, err := c.answers.Peek(1); err != nil {
		return Answer{}, err // io.EOF here: the peer closed without a byte of an answer
	}
	resp, err := http.ReadResponse(c.answers, nil)
	if err != nil {
		return Answer{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, MaxAnswer))
	if err != nil {
		return Answer{}, err
	}
	if err := c.SetDeadline(time.Time{}); err != nil {
		return Answer{}, err
	}
	return Answer{Status: resp.StatusCode, Body: body}, nil
}

func (h *H1) drop(addr string) {
	if c := h.conns[addr]; c != nil {
		c.Close() // its state does not matter any more
		delete(h.conns, addr)
	}
}

func h1WriteFault(accepted int) Fault {
	if accepted == 0 {
		return Unsent
	}
	return Socket
}

func h1ReadFault(err error) Fault {
	if t, ok := errors.AsType[net.Error](err); ok && t.Timeout() {
		return TimedOut
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return Silent
	}
	return Socket
}

// h1Bytes is the request as it goes over the wire.
func h1Bytes(ctx context.Context, r Request) ([]byte, error) {
	req, err := newHTTPRequest(ctx, r)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := req.Write(&b); err != nil {
		return nil, fmt.Errorf("request to %q: %w", r.Addr, err)
	}
	return b.Bytes(), nil
}
