package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/failrate/failrate/variants/internal/rounds"
	"github.com/failrate/failrate/variants/internal/wire"
)

// The classes of a failed send, by the bytes that write(2) accepted.
const (
	committed = "committed" // some: the request may have arrived, for all the client can know
	notSent   = "not-sent"  // none: it is safe to send again
)

// judge turns a shot into a round. Its error is trouble of the harness.
func (r *race) judge(s shot) (rounds.Round, error) {
	if s.harness != nil {
		return rounds.Round{}, s.harness
	}
	if r.options.cut != "none" && s.cut == 0 {
		return rounds.Round{}, errors.New("the cut found no connection")
	}
	round := rounds.Round{Outcome: rounds.Pass, Metrics: r.metrics(s)}
	if s.cut > 0 {
		round.Evidence = append(round.Evidence, "cut")
	}
	if s.err == nil {
		return round, nil
	}
	f, ok := errors.AsType[*wire.Failure](s.err)
	if !ok || f.Fault == wire.TimedOut || f.Fault == wire.Status {
		return rounds.Round{}, fmt.Errorf("the send failed in a way that no cut explains: %w", s.err)
	}
	round.Outcome, round.Class, round.Message = rounds.Fail, notSent, f.Err.Error()
	if f.Committed() {
		round.Class = committed
	} else if r.count == committed {
		round = rounds.Round{Outcome: rounds.Pass, Metrics: round.Metrics, Evidence: append(round.Evidence, notSent)}
	}
	return round, nil
}

// metrics are in microseconds, except for the naive sign (1: the library says that it wrote the headers) and the bytes.
func (r *race) metrics(s shot) map[string]float64 {
	accepted, headers := s.answer.Accepted, s.answer.Headers
	if f, ok := errors.AsType[*wire.Failure](s.err); ok {
		accepted, headers = f.Accepted, f.Headers
	}
	m := map[string]float64{"accepted_bytes": float64(accepted), "headers_written": 0}
	if headers {
		m["headers_written"] = 1
	}
	seen := r.meter.Reading(r.proxy.Addr())
	if !seen.Wrote.IsZero() {
		m["write_us"] = micros(seen.Wrote.Sub(s.sentAt))
	}
	if s.cut > 0 && !seen.Noticed.IsZero() {
		m["notice_us"] = micros(seen.Noticed.Sub(s.cutAt))
	}
	if s.cut > 0 {
		m["gap_us"] = micros(s.sentAt.Sub(s.cutAt)) // what the delay really was, with the cut's own time
	}
	return m
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }
