package cloudclient

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/failrate/failrate/variants/internal/wire"
)

// The rules as the real clients have them: what each layer does with one failed send.
const (
	rethrow = "rethrow"
	next    = "next endpoint"
	over    = "start over"
)

func TestBalancerRules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		failure *wire.Failure
		query   string
		update  map[string]string // by policy
	}{
		{fails(wire.Refused, 0), next, map[string]string{"old-client": next, "never-retry-updates": rethrow, "baseline": next, "lb-retries-all": next}},
		{fails(wire.Unsent, 0), next, map[string]string{"old-client": rethrow, "never-retry-updates": rethrow, "baseline": next, "lb-retries-all": next}},
		{fails(wire.Closed, 0), next, map[string]string{"old-client": rethrow, "never-retry-updates": rethrow, "baseline": rethrow, "lb-retries-all": next}},
		{fails(wire.Silent, 0), next, map[string]string{"old-client": rethrow, "never-retry-updates": rethrow, "baseline": rethrow, "lb-retries-all": next}},
		{fails(wire.Socket, 0), next, map[string]string{"old-client": rethrow, "never-retry-updates": rethrow, "baseline": rethrow, "lb-retries-all": next}},
		{fails(wire.TimedOut, 0), next, map[string]string{"old-client": rethrow, "never-retry-updates": rethrow, "baseline": rethrow, "lb-retries-all": next}},
		{fails(wire.Status, 403), next, map[string]string{"old-client": rethrow, "baseline": rethrow, "lb-retries-all": rethrow}},
		{fails(wire.Status, 404), next, map[string]string{"old-client": rethrow, "baseline": rethrow, "lb-retries-all": rethrow}},
		{fails(wire.Status, 500), next, map[string]string{"old-client": rethrow, "baseline": rethrow, "lb-retries-all": rethrow}},
		{fails(wire.Status, 503), next, map[string]string{"old-client": rethrow, "baseline": rethrow, "lb-retries-all": rethrow}},
		{fails(wire.Status, 400), rethrow, map[string]string{"old-client": rethrow, "baseline": rethrow, "lb-retries-all": rethrow}},
		{fails(wire.Status, 409), rethrow, map[string]string{"old-client": rethrow, "baseline": rethrow, "lb-retries-all": rethrow}},
	} {
		for name, want := range c.update {
			p, known := Named(name)
			if !known {
				t.Fatalf("no policy %q", name)
			}
			if got := balance(t, p, c.failure, true); got != want {
				t.Errorf("%v of an update under %s: %s, want %s", c.failure, name, got, want)
			}
			if got := balance(t, p, c.failure, false); got != c.query {
				t.Errorf("%v of a query under %s: %s, want %s", c.failure, name, got, c.query)
			}
		}
	}
}

// balance sends to a node that fails and one that does not, and says what the balancer did.
func balance(t *testing.T, p Policy, f *wire.Failure, update bool) string {
	t.Helper()
	s := &script{plays: map[string][]*wire.Failure{"bad": {f}}}
	b := &Balancer{Sender: s, NextOn: p.NextOn}
	_, err := b.Send(context.Background(), []string{"bad", "good"}, wire.Request{}, update)
	switch {
	case err == nil && slices.Equal(s.sent, []string{"bad", "good"}) && b.Failovers == 1 && len(b.Attempts) == 2:
		return next
	case errors.Is(err, f) && len(s.sent) == 1 && b.Failovers == 0 && len(b.Attempts) == 1:
		return rethrow
	}
	return fmt.Sprintf("sent to %v, %v", s.sent, err)
}

func TestRulesForTheWholeRequest(t *testing.T) {
	t.Parallel()
	faults := []wire.Fault{wire.Refused, wire.Unsent, wire.Closed, wire.Silent, wire.Socket, wire.TimedOut}
	for name, want := range map[string][]string{
		//                      refused  unsent   closed   silent   socket   timed-out
		"baseline":            {over, over, rethrow, rethrow, over, rethrow},
		"never-retry-updates": {rethrow, rethrow, rethrow, rethrow, rethrow, rethrow},
		"comm-error-unsent":   {over, over, rethrow, rethrow, rethrow, rethrow},
		"comm-error-all":      {over, over, over, over, over, over},
		"lb-retries-all":      {over, over, rethrow, rethrow, over, rethrow},
		"leaders-only":        {over, over, rethrow, rethrow, over, rethrow},
		"old-client":          {over, over, rethrow, over, over, rethrow},
		"old-client-no-retry": {rethrow, rethrow, rethrow, rethrow, rethrow, rethrow},
	} {
		p, known := Named(name)
		if !known {
			t.Fatalf("no policy %q", name)
		}
		for i, fault := range faults {
			c := &Cloud{Policy: p}
			got := rethrow
			if c.startsOver(fmt.Errorf("wrapped: %w", fails(fault, 0)), true) {
				got = over
			}
			if got != want[i] {
				t.Errorf("%v under %s: %s, want %s", fault, name, got, want[i])
			}
		}
	}
}

func TestAnAnswerStartsOverOnlyForALeaderThatSays503(t *testing.T) {
	t.Parallel()
	leaders, _ := Named("leaders-only")
	everything, _ := Named("comm-error-all")
	for _, c := range []struct {
		policy Policy
		code   int
		update bool
		want   bool
	}{
		{leaders, 503, true, true}, {leaders, 500, true, false}, {leaders, 503, false, false},
		{everything, 503, true, false}, {everything, 500, true, false},
	} {
		cloud := &Cloud{Policy: c.policy}
		if got := cloud.startsOver(fails(wire.Status, c.code), c.update); got != c.want {
			t.Errorf("%d under %s, update %t: %t", c.code, c.policy.Name, c.update, got)
		}
	}
	if (&Cloud{Policy: everything}).startsOver(errors.New("not a send"), true) {
		t.Error("an error of the request itself starts over")
	}
}

func TestPoliciesAreTheVariantsOfTheStudy(t *testing.T) {
	t.Parallel()
	want := []string{"baseline", "never-retry-updates", "comm-error-unsent", "comm-error-all", "lb-retries-all", "leaders-only", "old-client", "old-client-no-retry"}
	if got := Names(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, name := range Names() {
		p, _ := Named(name)
		if p.NextOn&wire.Status != 0 || p.RetryOn&wire.Status != 0 {
			t.Errorf("%s repeats what was answered", name)
		}
		if p.LeadersOnly != (name == "leaders-only") {
			t.Errorf("%s: leaders only is %t", name, p.LeadersOnly)
		}
	}
	if _, known := Named("nobody"); known {
		t.Error("an unknown policy is known")
	}
}
