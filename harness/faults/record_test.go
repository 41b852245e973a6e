package faults

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// record is a line of a journal, as far as the tests look at it.
type record struct {
	Type      string `json:"type"` // header, started, finished or note
	ID        string `json:"id"`   // of the attempt: trial, or trial!2
	Kind      string `json:"kind"` // of a note
	Campaign  string `json:"campaign"`
	Judgement struct {
		Outcome string `json:"outcome"`
		Class   string `json:"class"`
		Reason  string `json:"reason"`
	} `json:"judgement"`
}

// trial is the id of the attempt's trial.
func (r record) trial() string {
	id, _, _ := strings.Cut(r.ID, "!")
	return id
}

// records reads the whole lines of a journal; a torn last one is left out.
func records(t *testing.T, journal []byte) (out []record) {
	t.Helper()
	for line := range bytes.Lines(whole(journal)) {
		var r record
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("journal: %v in %q", err, line)
		}
		out = append(out, r)
	}
	return out
}

// whole is a journal without the torn end of its last line.
func whole(journal []byte) []byte { return journal[:bytes.LastIndexByte(journal, '\n')+1] }

// stable is a table's JSON without what only a run can measure (its circumstances, and the footnotes, some of which
// doubt a cell by its durations) and without the digests, which the marker in the study changes.
func stable(t *testing.T, raw string) string {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(raw), &m); err != nil {
		t.Fatalf("the table is no JSON: %v\n%s", err, raw)
	}
	delete(m, "circumstances")
	without(m, "notes", "plan_digest")
	text, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), `"cells"`) {
		t.Fatalf("the table has no cells:\n%s", text)
	}
	return string(text)
}

func without(v any, members ...string) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range members {
			delete(v, name)
		}
		for _, member := range v {
			without(member, members...)
		}
	case []any:
		for _, element := range v {
			without(element, members...)
		}
	}
}
