package classify

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"
)

// The bounds of a trial's records. A trial that goes beyond one is broken, so that no number is of a part of the rounds.
const (
	maxRecordLine  = 1 << 20 // bytes
	maxRounds      = 1_000_000
	maxBlankLines  = 1_000_000
	maxMetrics     = 32 // names
	maxMetricCount = 4_000_000
	maxFacts       = 64
	maxNames       = 64  // classes
	maxName        = 64  // bytes of a class, or of the name of a metric or fact
	maxFact        = 256 // bytes of a fact's value
)

// record is one round, as the subject writes it in one line of its records file. Other keys are the subject's own.
type record struct {
	Outcome  string             `json:"outcome"` // pass, fail, broken or unexercised
	Class    string             `json:"class"`   // of a fail; empty leaves it to the rules
	Message  string             `json:"message"` // what failed, for the rules and for people
	Evidence []string           `json:"evidence"`
	Metrics  map[string]float64 `json:"metrics"`
	Facts    map[string]string  `json:"facts"`
}

// readRecords reads JSON lines. A line that is none makes everything unreadable, but for a last line without its end:
// then the records end early.
func readRecords(r io.Reader, t *tally) findings {
	f := findings{rounds: t}
	lines := newLineReader(r, maxRecordLine)
	for blank := 0; f.unreadable == ""; {
		l, err := lines.next()
		if err != nil {
			break
		}
		if len(l) == 0 {
			if blank++; blank > maxBlankLines {
				f.unreadable = fmt.Sprintf("more than %d blank lines", maxBlankLines)
			}
			continue
		}
		rec, problem := parseRecord(l, lines.long)
		if problem == "" {
			problem = t.add(rec)
		} else if !lines.whole && !lines.long {
			f.doubt, f.spot = fmt.Sprintf("its last line, %d, is cut off", lines.number), head(l)
			break
		}
		if problem != "" {
			f.unreadable, f.spot = fmt.Sprintf("line %d: %s", lines.number, problem), head(l)
		}
	}
	if t.total() == 0 && f.unreadable == "" && f.doubt == "" {
		f.missing = "the subject wrote no records"
	}
	f.passed, f.failed, f.first = t.passed, t.failed, t.first
	return f
}

// parseRecord reads one line; the second result says what is wrong with it, and at which column.
func parseRecord(l []byte, long bool) (record, string) {
	var rec record
	if long {
		return rec, fmt.Sprintf("longer than %d bytes", maxRecordLine)
	}
	if err := json.Unmarshal(l, &rec); err != nil {
		var syntax *json.SyntaxError
		var kind *json.UnmarshalTypeError
		switch {
		case errors.As(err, &syntax):
			return rec, fmt.Sprintf("column %d: %v", syntax.Offset, syntax)
		case errors.As(err, &kind):
			field := "the record"
			if kind.Field != "" {
				field = fmt.Sprintf("%q", clip(kind.Field, maxName))
			}
			return rec, fmt.Sprintf("column %d: %s does not fit %s", kind.Offset, clip(kind.Value, maxName), field)
		}
		return rec, err.Error()
	}
	switch rec.Outcome {
	case "pass", "fail", "broken", "unexercised":
		return rec, ""
	case "":
		return rec, "column 1: no outcome (one of pass, fail, broken, unexercised)"
	}
	return rec, fmt.Sprintf("column 1: outcome %q is none of pass, fail, broken, unexercised", clip(rec.Outcome, 40))
}

// fitName reports whether a subject's word can be the name of something in reports.
func fitName(s string) bool {
	if s == "" || len(s) > maxName || !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}
