// Package classify judges an observation: it takes the facts, the output and the result files of one attempt and the
// study's rules, and gives a Judgement.
//
// It stands between trial and journal in the pipeline study → plan → trial → classify → journal → report.
// It is pure: same input, same judgement, so that outcomes can be derived again later. It starts nothing and keeps nothing.
package classify

import "fmt"

// Outcome is how an attempt ended. It is a closed set: every switch over it names every value.
type Outcome uint8

// The outcomes, in the order in which reports show them. The zero value is no outcome.
const (
	Pass        Outcome = iota + 1 // the subject succeeded, and all required evidence is there
	Fail                           // the subject failed; has a class
	Timeout                        // the subject's time limit passed
	Unexercised                    // succeeded, but required evidence is missing: proves nothing
	Broken                         // could not be run, or its result not be read
	Censored                       // we stopped it
	Lost                           // started, no end on record
)

// Outcomes lists every outcome in report order.
func Outcomes() []Outcome {
	return []Outcome{Pass, Fail, Timeout, Unexercised, Broken, Censored, Lost}
}

// String gives the outcome's word in files and reports.
func (o Outcome) String() string {
	switch o {
	case Pass:
		return "pass"
	case Fail:
		return "fail"
	case Timeout:
		return "timeout"
	case Unexercised:
		return "unexercised"
	case Broken:
		return "broken"
	case Censored:
		return "censored"
	case Lost:
		return "lost"
	}
	return fmt.Sprintf("outcome(%d)", uint8(o))
}

// ParseOutcome reads an outcome's word.
func ParseOutcome(word string) (Outcome, error) {
	for _, o := range Outcomes() {
		if o.String() == word {
			return o, nil
		}
	}
	return 0, fmt.Errorf("unknown outcome %q", word)
}

// MarshalText writes the outcome's word.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads the outcome's word.
func (o *Outcome) UnmarshalText(text []byte) error {
	got, err := ParseOutcome(string(text))
	*o = got
	return err
}

// InRate reports whether the outcome is in the denominator of the failure rate.
func (o Outcome) InRate() bool {
	switch o {
	case Pass, Fail, Timeout:
		return true
	case Unexercised, Broken, Censored, Lost:
		return false
	}
	return false
}

// Failed reports whether the outcome is in the numerator of the failure rate.
func (o Outcome) Failed() bool {
	switch o {
	case Fail, Timeout:
		return true
	case Pass, Unexercised, Broken, Censored, Lost:
		return false
	}
	return false
}

// OtherClass is the class of a failure that no rule names.
const OtherClass = "other"

// Judgement is the outcome of an attempt and what it rests on. The names are part of the journal's format.
type Judgement struct {
	Outcome  Outcome            `json:"outcome"`
	Class    string             `json:"class,omitempty"`    // of a fail: a name from the rules, else "other"
	Reason   string             `json:"reason,omitempty"`   // one line, at most MaxReason bytes: the rule, the missing evidence, the fault
	Evidence []string           `json:"evidence,omitempty"` // names of the evidence seen, in the study's order
	Excerpt  string             `json:"excerpt,omitempty"`  // the output around what decided, at most MaxExcerpt bytes, printable
	Rounds   *Rounds            `json:"rounds,omitempty"`   // when the subject reported rounds
	Metrics  map[string]float64 `json:"metrics,omitempty"`  // per trial: the median over its rounds
	Facts    map[string]string  `json:"facts,omitempty"`    // that the subject reported of itself
}

// The bounds of a judgement's texts, in bytes.
const (
	MaxReason  = 300
	MaxExcerpt = 2000
)

// Rounds counts the rounds of one trial that had several. Broken rounds are in neither N nor Failed. A trial that died or
// hung has one more failed round: the one in which it did.
type Rounds struct {
	N       int            `json:"n"`                 // rounds that passed or failed
	Failed  int            `json:"failed"`            // of these
	Broken  int            `json:"broken,omitempty"`  // rounds that could not be run
	Classes map[string]int `json:"classes,omitempty"` // failed rounds by class

	Unexercised int `json:"unexercised,omitempty"` // rounds that passed without required evidence; in neither N nor Failed
}
