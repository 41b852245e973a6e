package cloudclient

import (
	"context"
	"errors"

	"github.com/failrate/failrate/variants/internal/wire"
)

// script answers sends by address: the failures in turn, nil for success, and success when it has run out.
type script struct {
	plays map[string][]*wire.Failure
	sent  []string // addresses in order
}

func (s *script) Send(_ context.Context, r wire.Request) (wire.Answer, error) {
	s.sent = append(s.sent, r.Addr)
	plays := s.plays[r.Addr]
	if len(plays) == 0 {
		return wire.Answer{Status: 200}, nil
	}
	s.plays[r.Addr] = plays[1:]
	if plays[0] == nil {
		return wire.Answer{Status: 200}, nil
	}
	return wire.Answer{}, plays[0]
}

func (s *script) Close() {}

// fails is a failure of one kind; sent ones had bytes accepted.
func fails(fault wire.Fault, code int) *wire.Failure {
	f := &wire.Failure{Fault: fault, Code: code, Err: errors.New("scripted")}
	if fault&(wire.Refused|wire.Unsent) == 0 {
		f.Accepted = 18
	}
	return f
}

// again is the same failure many times.
func again(f *wire.Failure) []*wire.Failure {
	var out []*wire.Failure
	for range 100 {
		out = append(out, f)
	}
	return out
}
