package plan

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/failrate/failrate/harness/study"
)

func TestIDsParseBack(t *testing.T) {
	t.Parallel()
	forRandomPlans(t, func(t *testing.T, r *rand.Rand, _ *study.Study, p *Plan) {
		for _, b := range blocks(p, Shard{}) {
			for _, tr := range b.Trials {
				attempt := 1 + r.IntN(12)
				cell, number, got, err := ParseID(AttemptID(tr.ID, attempt))
				if err != nil || cell != tr.Cell.ID() || number != tr.Number || got != attempt {
					t.Errorf("ParseID(%q) = %q, %d, %d, %v", AttemptID(tr.ID, attempt), cell, number, got, err)
				}
				if strings.ContainsAny(tr.ID, "\x00\n\\ ") || strings.Count(tr.ID, "#") != 1 || strings.Contains(tr.ID, "!") {
					t.Errorf("id %q holds a character that means something", tr.ID)
				}
			}
		}
	})
}

func TestIDGrammar(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		number, attempt int
		want            string
	}{{1, 1, "a/native/none#0001"}, {42, 0, "a/native/none#0042"}, {42, 2, "a/native/none#0042!2"}, {12345, 11, "a/native/none#12345!11"}} {
		if got := AttemptID(TrialID("a/native/none", c.number), c.attempt); got != c.want {
			t.Errorf("attempt %d of trial %d is %q, want %q", c.attempt, c.number, got, c.want)
		}
	}
}

func TestParseIDRefusesOtherSpellings(t *testing.T) {
	t.Parallel()
	for _, id := range []string{
		"", "#", "#0001", "a", "a#", "a#0", "a#0000", "a#-001", "a#+042", "a#42", "a#00042", "a#0042!", "a#0042!1", "a#0042!0",
		"a#0042!-2", "a#0042!+2", "a#0042!02", "a#0042!2!3", "a#0042 ", "a#99999999999999999999", "a#0042!99999999999999999999",
	} {
		if cell, number, attempt, err := ParseID(id); err == nil {
			t.Errorf("ParseID(%q) = %q, %d, %d, want an error", id, cell, number, attempt)
		}
	}
}

func FuzzParseID(f *testing.F) {
	for _, id := range []string{"a/native/none#0042", "a/native/none#0042!2", "a#12345!11", "a!2", "#1", "a#0001#0002"} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		cell, number, attempt, err := ParseID(id)
		if err == nil && AttemptID(TrialID(cell, number), attempt) != id {
			t.Errorf("%q parses as %q, %d, %d, which is written otherwise", id, cell, number, attempt)
		}
	})
}
