package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/failrate/failrate/variants/internal/nap"
	"github.com/failrate/failrate/variants/internal/rounds"
	"github.com/failrate/failrate/variants/internal/socketproxy"
	"github.com/failrate/failrate/variants/internal/wire"
)

// sendLimit bounds one send; nothing on the loopback takes that long unless the harness is at fault.
const sendLimit = 20 * time.Second

// race is a server behind a proxy, and a client of it.
type race struct {
	options
	server *wire.Server
	proxy  *socketproxy.Proxy
	meter  *wire.Meter
	sender wire.Sender
	burst  *rounds.Burst
	body   []byte
}

func newRace(o options, burstFile string) (*race, error) {
	r := &race{options: o, meter: &wire.Meter{}, body: bytes.Repeat([]byte{'x'}, o.body)}
	r.burst = &rounds.Burst{File: burstFile, Hogs: o.hogs, Lead: o.lead}
	var err error
	r.server, err = wire.Serve(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		io.Copy(io.Discard, req.Body) // a broken request shows at the client
		io.WriteString(w, "ok")
	}))
	if err != nil {
		return nil, err
	}
	if r.proxy, err = socketproxy.Open(r.server.Addr()); err != nil {
		r.server.Close()
		return nil, err
	}
	switch o.client {
	case "h1":
		r.sender = wire.NewH1(r.meter)
	default:
		r.sender = wire.NewH2(r.meter)
	}
	return r, nil
}

// close ends the client first, so that the proxy and the server have nothing open that they wait for.
func (r *race) close() error {
	r.sender.Close()
	return errors.Join(r.proxy.Close(), r.server.Close())
}

// run measures the rounds; it stops early at the time limit or when ctx ends.
func (r *race) run(ctx context.Context, rec *rounds.Recorder) error {
	start := time.Now()
	for i := range r.warmup + r.rounds {
		if ctx.Err() != nil || time.Since(start) > r.limit {
			break
		}
		round, err := r.round(ctx)
		if err != nil {
			if ctx.Err() != nil {
				break // stopped in the middle of a round: it says nothing
			}
			round = rounds.Round{Outcome: rounds.Broken, Message: err.Error()}
		}
		if i < r.warmup {
			continue
		}
		if err := rec.Add(round); err != nil {
			return err
		}
	}
	return nil
}

// round is one measurement: connect, be idle, cut, wait, send. Its error is trouble of the harness.
func (r *race) round(ctx context.Context) (rounds.Round, error) {
	ctx, cancel := context.WithTimeout(ctx, sendLimit)
	defer cancel()
	if err := r.proxy.Reopen(); err != nil {
		return rounds.Round{}, err
	}
	lost := r.unread()
	if _, err := r.send(ctx); err != nil {
		return rounds.Round{}, fmt.Errorf("before the cut: %w", err)
	}
	if err := r.quiet(ctx, lost); err != nil {
		return rounds.Round{}, err
	}
	if err := r.burst.Begin(); err != nil {
		return rounds.Round{}, fmt.Errorf("announce the burst: %w", err)
	}
	s := r.cutAndSend(ctx)
	if err := r.burst.End(); err != nil {
		return rounds.Round{}, fmt.Errorf("end the burst: %w", err)
	}
	return r.judge(s)
}

// unread is how many bytes the client wrote that the proxy did not read, on all connections so far.
func (r *race) unread() int64 { return r.meter.Reading(r.proxy.Addr()).Accepted - r.proxy.Received() }

// quiet waits until the proxy has read all that the client wrote, apart from what earlier cuts lost, and then for the
// idle time.
func (r *race) quiet(ctx context.Context, lost int64) error {
	for r.unread() > lost {
		if ctx.Err() != nil {
			return fmt.Errorf("the proxy did not read what the client wrote: %w", ctx.Err())
		}
		time.Sleep(r.settle)
	}
	time.Sleep(r.settle)
	return nil
}

func (r *race) send(ctx context.Context) (wire.Answer, error) {
	return r.sender.Send(ctx, wire.Request{Addr: r.proxy.Addr(), Path: "/update", Body: r.body})
}

// shot is what happened around one cut.
type shot struct {
	cutAt, sentAt time.Time
	cut           int // connections that the cut ended
	answer        wire.Answer
	err           error // of the send
	harness       error // of the cut, or of waiting for it
}

// cutAndSend is the race itself.
func (r *race) cutAndSend(ctx context.Context) shot {
	r.meter.Mark(r.proxy.Addr())
	if r.options.cut == "pause-then-close" {
		return r.pauseSendClose(ctx)
	}
	s := shot{cutAt: time.Now()}
	if r.options.cut != "none" {
		s.cut, s.harness = r.proxy.Cut(socketproxy.How(r.options.cut))
	}
	nap.For(r.delay)
	s.sentAt = time.Now()
	s.answer, s.err = r.send(ctx)
	return s
}

// pauseSendClose lets the request get into the kernel's buffers and no further, and then cuts. What counts is what the
// client's socket accepted: the paused proxy reads only the first part.
func (r *race) pauseSendClose(ctx context.Context) shot {
	r.proxy.Pause()
	target := r.meter.Reading(r.proxy.Addr()).Accepted + int64(len(r.body)) + 1
	var s shot
	done := make(chan struct{})
	s.sentAt = time.Now()
	go func() {
		defer close(done)
		s.answer, s.err = r.send(ctx)
	}()
	waited := r.meter.Await(ctx, r.proxy.Addr(), target)
	nap.For(r.delay)
	s.cutAt = time.Now()
	n, err := r.proxy.CutBusy(socketproxy.FIN)
	<-done
	s.cut, s.harness = n, errors.Join(waited, err)
	return s
}
