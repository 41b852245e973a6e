package classify

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/failrate/failrate/harness/study"
)

// judgingVersion is part of the digest: it goes up when the same rules and the same input would be judged differently.
const judgingVersion = 1

// Rules are a study's classes, evidence and result format, ready to judge with. They are not changed after Compile and
// may be used by several goroutines.
type Rules struct {
	results study.Results
	classes []rule
	marks   []evidence
	digest  string
}

// rule is one compiled class.
type rule struct {
	study.Class
	pattern *pattern // nil matches all output
}

// evidence is one compiled evidence.
type evidence struct {
	study.Evidence
	match *pattern // nil when only the subject's records can carry it
	after *pattern // nil means anywhere
}

// Compile makes a study's rules ready. Its error lists everything that is wrong, one line each.
//
// In every expression ^ and $ match at the start and end of a line, and one match may span several lines but at most
// 64 KiB. \A and \z are refused: output is searched in pieces, so it has no first and last byte to match.
func Compile(s *study.Study) (*Rules, error) {
	r := &Rules{results: s.Subject.Results}
	var errs []error
	if r.results.Format == "" {
		r.results.Format = study.ResultExit
	}
	switch r.results.Format {
	case study.ResultExit, study.ResultRecords, study.ResultJUnit, study.ResultGoTest, study.ResultTAP:
	default:
		errs = append(errs, fmt.Errorf("unknown result format %q", r.results.Format))
	}
	switch r.results.RetriedPass {
	case "", "fail", "pass":
	default:
		errs = append(errs, fmt.Errorf(`retried-pass is %q and must be "fail" or "pass"`, r.results.RetriedPass))
	}
	for i, c := range s.Classes {
		where := c.Source
		if where == "" {
			where = fmt.Sprintf("class rule %d", i+1)
		}
		c.Signal = signalName(c.Signal)
		p, err := compilePattern(c.Match)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: match %q: %w", where, c.Match, err))
		}
		if c.Name == "" && !c.Broken {
			errs = append(errs, fmt.Errorf("%s: a rule needs a class name or broken: true", where))
		}
		r.classes = append(r.classes, rule{c, p})
	}
	for _, e := range s.Evidence {
		m, err := compilePattern(e.Match)
		if err != nil {
			errs = append(errs, fmt.Errorf("evidence %q: match %q: %w", e.Name, e.Match, err))
		}
		a, err := compilePattern(e.After)
		if err != nil {
			errs = append(errs, fmt.Errorf("evidence %q: after %q: %w", e.Name, e.After, err))
		}
		if a != nil && a.re.MatchString("") {
			errs = append(errs, fmt.Errorf("evidence %q: after %q matches the empty text, so it matches everywhere", e.Name, e.After))
		}
		r.marks = append(r.marks, evidence{e, m, a})
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	r.digest = digest(s, r.results)
	return r, nil
}

// Digest identifies what the rules say, as 64 hexadecimal digits. Two studies whose rules judge alike have the same one,
// wherever in their files the rules stand.
func (r *Rules) Digest() string { return r.digest }

func digest(s *study.Study, results study.Results) string {
	classes := slices.Clone(s.Classes)
	for i := range classes {
		classes[i].Source = ""
	}
	marks := slices.Clone(s.Evidence)
	for i := range marks {
		marks[i].Except = slices.Sorted(slices.Values(marks[i].Except))
	}
	if results.RetriedPass == "" {
		results.RetriedPass = "fail"
	}
	text, err := json.Marshal(struct {
		Version  int
		Results  study.Results
		Classes  []study.Class
		Evidence []study.Evidence
	}{judgingVersion, results, classes, marks})
	if err != nil {
		panic(err) // strings, numbers and booleans always encode
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// retriedPass reports whether a pass after a retry inside the test tool counts as a pass.
func (r *Rules) retriedPass() bool { return r.results.RetriedPass == "pass" }

// String names the rule in a reason: where it stands and what it looked for.
func (r rule) String() string {
	var b strings.Builder
	if r.Broken {
		b.WriteString("broken by rule")
	} else {
		b.WriteString("class by rule")
	}
	if r.Source != "" {
		b.WriteString(" " + r.Source)
	}
	if r.Match != "" {
		fmt.Fprintf(&b, " match %q", r.Match)
	}
	if r.Exit != nil {
		fmt.Fprintf(&b, " exit %d", *r.Exit)
	}
	if r.Signal != "" {
		b.WriteString(" signal " + r.Signal)
	}
	return b.String()
}

// signalName turns segv, SEGV and SIGSEGV into SIGSEGV.
func signalName(s string) string {
	if s = strings.ToUpper(s); s == "" || strings.HasPrefix(s, "SIG") {
		return s
	}
	return "SIG" + s
}
