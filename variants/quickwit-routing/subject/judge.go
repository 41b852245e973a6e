package main

import (
	"errors"
	"net/http"

	"github.com/failrate/failrate/variants/internal/quickwit"
	"github.com/failrate/failrate/variants/internal/rounds"
)

// judge says how the second ingest ended. An answer of 200 is believed when the documents can be found.
func (s *story) judge(i quickwit.Ingest, old quickwit.IndexUID, name string) {
	s.round.Metrics["attempts"] = float64(len(i.Attempts))
	if i.Err != nil {
		s.round.Outcome, s.round.Class, s.round.Message = rounds.Fail, class(i, old), i.Err.Error()
		return
	}
	s.round.Outcome = rounds.Pass
	s.clock.Sleep(10 * commit)
	if n, err := s.cluster.Count(name); err != nil || n != documents {
		s.round.Outcome, s.round.Class = rounds.Fail, "200-but-lost"
		s.round.Message = "the ingest was answered with 200, and its documents were never published"
	}
}

// class tells failures with the same text apart by what was tried.
func class(i quickwit.Ingest, old quickwit.IndexUID) string {
	var e *quickwit.Error
	if !errors.As(i.Err, &e) {
		return "other"
	}
	switch e.Code {
	case http.StatusServiceUnavailable:
		return unavailable(i, old)
	case http.StatusTooManyRequests:
		return "429-rate-limited"
	case http.StatusNotFound:
		return "404-index"
	}
	return "other"
}

func unavailable(i quickwit.Ingest, old quickwit.IndexUID) string {
	stale, nobody := 0, 0
	for _, a := range i.Attempts {
		switch {
		case a.Reason == quickwit.NoShards && a.UID == old && !a.Limited:
			stale++
		case a.Reason == quickwit.NoIngesters || a.Reason == quickwit.NoRoute:
			nobody++
		}
	}
	switch {
	case stale > 0:
		return "503-stale"
	case nobody == len(i.Attempts):
		return "503-no-ingester"
	}
	return "503-node-unavailable"
}
