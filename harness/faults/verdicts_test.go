package faults

import (
	"strconv"
	"strings"
	"testing"
)

// expected is how a trial of the steady campaign ends when it is judged: by its variant and its number alone.
func expected(t *testing.T, trial string) string {
	t.Helper()
	cell, digits, _ := strings.Cut(trial, "#")
	variant, _, _ := strings.Cut(cell, "/")
	of20, known := map[string]int{"a": 7, "b": 3, "always": 20}[variant]
	n, err := strconv.Atoi(digits)
	if err != nil || !known {
		t.Fatalf("%q is no trial of the steady campaign", trial)
	}
	if n*7%20 < of20 {
		return "fail"
	}
	return "pass"
}

// asTheyMust checks that whatever was judged was judged rightly, that nothing is a failure for what went wrong around it, and
// gives how many attempts had each outcome. A trial is judged once.
func (h *home) asTheyMust(t *testing.T) map[string]int {
	t.Helper()
	seen, count := map[string]bool{}, map[string]int{}
	for _, r := range records(t, h.journal()) {
		if r.Type != "finished" {
			continue
		}
		count[r.Judgement.Outcome]++
		switch r.Judgement.Outcome {
		case "broken", "censored":
		case expected(t, r.trial()):
			if seen[r.trial()] {
				t.Errorf("%s was judged twice", r.trial())
			}
			seen[r.trial()] = true
		default:
			t.Errorf("%s is %s (%s), and its subject would have made it %s: %s", r.ID, r.Judgement.Outcome, r.Judgement.Class,
				expected(t, r.trial()), r.Judgement.Reason)
		}
	}
	return count
}

// complete is asTheyMust, and every trial of the shape must have been judged.
func (h *home) complete(t *testing.T, s shape) map[string]int {
	t.Helper()
	count := h.asTheyMust(t)
	if got := count["pass"] + count["fail"]; got != s.trials() {
		t.Errorf("%d trials are judged, and %d are planned: %v", got, s.trials(), count)
	}
	return count
}

// stopped checks that a harness that did not complete its campaign says why: a documented exit status, and a reason.
func (r *run) stopped(t *testing.T, status int, statuses ...int) {
	t.Helper()
	for _, s := range statuses {
		if s == status {
			if r.stderr.Len() == 0 {
				t.Errorf("exit status %d without a reason", status)
			}
			return
		}
	}
	t.Errorf("exit status %d, and %d are possible\n%s", status, statuses, r.stderr.String())
}
