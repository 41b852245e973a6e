package classify

import (
	"fmt"

	"github.com/failrate/failrate/harness/trial"
)

// Judge gives the judgement on one attempt of a variant. It depends on nothing but its arguments. It never gives Lost,
// which is an attempt without an observation.
//
// What is looked at, in this order; the first that applies decides:
//
//  1. Stopped: censored. A fault, the kernel's out-of-memory killer, or no end on record: broken.
//  2. A service ended though it should not, which the study calls a failure: fail. The time limit passed: timeout.
//  3. Death by a signal: fail, whatever the results say.
//  4. Results that cannot be read, or that say nothing could be run (a build that failed, "Bail out!"): broken.
//  5. A failed test or round: fail, also with exit status 0. A pass after a retry inside the test tool is a failed test
//     unless the study's results.retried-pass says pass.
//  6. An exit status other than 0. By exit status alone: fail (126 and 127, a shell's words for a command that it could
//     not run: broken). With results of which none failed: fail when some test ran, and also when the results then do
//     not add up, since it was the subject that said so. When no test ran: unexercised if results say just that, broken
//     if there are none or they do not add up. Those two, and 126 and 127, a class rule with a match still makes a fail.
//  7. Exit status 0. Results that are missing or do not add up: broken. No test ran: unexercised. Else: pass.
//
// Then the rules: of those whose exit status and signal hold, the first whose match is found in what failed tests say or
// in the output gives a fail its class, and one that says broken makes a fail broken. A timeout has no class, and only
// rules that ask for nothing but a match can make it broken. A pass asks no rule.
// Last the evidence: a pass without required evidence is unexercised.
//
// Rounds make a trial fail when one of them failed, with the most frequent class. A round has the class that its record
// gives, else that of the first rule that matches its message, else (without a message, or as the only round) that of
// the output. A passed round must itself carry required evidence that has no match; otherwise it is unexercised.
func (r *Rules) Judge(variant string, obs trial.Observation, in Input) Judgement {
	v, over := unjudged(obs)
	if over {
		s := newSearch(nil, nil)
		_ = r.searchLog(s, obs, in) // for the excerpt alone
		return v.judgement(s)
	}
	f := r.read(variant, obs, in)
	v = r.decide(obs, &f)
	s := r.searchFor(obs, v, &f)
	if v.outcome != Pass || s.wanting() {
		if err := r.searchAll(s, obs, in); err != nil && s.wanting() {
			return verdict{outcome: Broken, reason: fmt.Sprintf("its output cannot be read: %v", err)}.judgement(s)
		}
	}
	v = f.conclude(v, s)
	seen := r.seen(s, f.rounds)
	if missing := r.missing(variant, seen); v.outcome == Pass && len(missing) > 0 {
		v = unexercised(missing, obs)
	}
	j := v.judgement(s)
	j.Evidence = seen
	f.report(&j)
	return j
}

// searchFor gives the search that a verdict needs: for rules that may change it, and for evidence.
func (r *Rules) searchFor(obs trial.Observation, v verdict, f *findings) *search {
	var rules []rule
	if v.outcome != Pass && !(v.byRounds && !f.rounds.waiting()) {
		rules = r.deciding(obs, v)
	}
	marks := r.marks
	if v.outcome == Broken && !v.named {
		marks = nil
	}
	return newSearch(rules, marks)
}

// conclude gives the verdict after the rules, and every failed round its class.
func (f *findings) conclude(v verdict, s *search) verdict {
	c, spot, matched := s.matched()
	t := f.rounds
	if t == nil {
		return v.ruled(c, spot, matched)
	}
	waited := t.waiting()
	t.settle(c, matched)
	if !v.byRounds || t.failed == 0 {
		v = v.ruled(c, spot, matched)
	} else if v.class = t.class(); waited && matched && c.Name == v.class {
		v = v.ruled(c, spot, true)
	}
	if t.total() == 0 || v.byRounds {
		return v
	}
	switch v.outcome {
	case Fail:
		t.interrupted(v.class)
	case Timeout:
		t.interrupted(Timeout.String())
	case Pass, Unexercised, Broken, Censored, Lost:
	}
	return v
}

// report adds to the judgement what the subject's records say. Rounds count only where the trial does: those of a pass
// without evidence in the output are all unexercised.
func (f *findings) report(j *Judgement) {
	t := f.rounds
	if t == nil {
		return
	}
	if len(t.facts) > 0 {
		j.Facts = t.facts
	}
	switch j.Outcome {
	case Pass, Fail, Timeout:
		j.Rounds, j.Metrics = t.rounds(), t.medians()
	case Unexercised:
		t.passed, t.unexercised = 0, t.unexercised+t.passed
		j.Rounds = t.rounds()
	case Broken, Censored, Lost:
	}
}

// judgement bounds the verdict's texts. Without a place that decided, the excerpt is the end of the output.
func (v verdict) judgement(s *search) Judgement {
	j := Judgement{Outcome: v.outcome, Class: v.class, Reason: line(v.reason), Excerpt: v.excerpt}
	switch v.outcome {
	case Pass:
		j.Excerpt = ""
	case Fail, Timeout, Unexercised, Broken, Censored, Lost:
		if j.Excerpt == "" {
			j.Excerpt = last(s.tail)
		}
		if j.Reason == "" { // a fault of blanks
			j.Reason = "no reason on record"
		}
	}
	return j
}
