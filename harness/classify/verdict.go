package classify

import (
	"fmt"

	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
)

// verdict is a judgement on its way: what the observation and the results say, before rules and evidence are looked for.
type verdict struct {
	outcome Outcome
	class   string // of a fail
	reason  string
	excerpt string // around what decided, when the results told

	byRounds bool // a failed round made it, and not the way the subject ended

	// named says that a rule may still make a failure of it, if the rule names this very thing: it has a match and
	// the output does.
	named bool
	// notFound says that a rule with this exit status does so too.
	notFound bool
}

// unjudged gives the verdict on an attempt whose end says nothing about the subject.
func unjudged(obs trial.Observation) (verdict, bool) {
	switch {
	case obs.Stopped:
		return verdict{outcome: Censored, reason: "stopped before its end"}, true
	case obs.Fault != "":
		return verdict{outcome: Broken, reason: obs.Fault}, true
	case obs.OOM:
		return verdict{outcome: Broken, reason: "ended by the kernel for want of memory"}, true
	case obs.Exit < 0 && obs.Signal == "" && !obs.Limit && obs.Death == "":
		return verdict{outcome: Broken, reason: "no exit status, signal or fault on record"}, true
	}
	return verdict{}, false
}

// decide gives the verdict on an attempt that the subject ended, or its time limit.
func (r *Rules) decide(obs trial.Observation, f *findings) verdict {
	switch {
	case obs.Death != "":
		return verdict{outcome: Fail, reason: obs.Death, excerpt: f.first.excerpt}
	case obs.Limit:
		return verdict{outcome: Timeout, reason: fmt.Sprintf("the time limit passed after %.1f s", obs.Wall.Seconds())}
	case obs.Signal != "":
		return verdict{outcome: Fail, reason: "died by " + obs.Signal, excerpt: f.first.excerpt}
	case r.results.Format == study.ResultExit:
		return byExit(obs)
	case f.unreadable != "":
		return verdict{outcome: Broken, reason: f.unreadable, excerpt: f.spot}
	case f.failed > 0:
		return byFailure(f)
	case obs.Exit != 0:
		return byExitAndResults(obs, f)
	}
	return byResults(f)
}

// byExit judges by the exit status alone. By the convention of shells, 126 and 127 are of a command that could not be run.
func byExit(obs trial.Observation) verdict {
	switch obs.Exit {
	case 0:
		return verdict{outcome: Pass}
	case 126:
		return verdict{outcome: Broken, named: true, notFound: true, reason: "exit status 126, a shell's word for a command that cannot be executed"}
	case 127:
		return verdict{outcome: Broken, named: true, notFound: true, reason: "exit status 127, a shell's word for a command that was not found"}
	}
	return verdict{outcome: Fail, reason: fmt.Sprintf("exit status %d", obs.Exit)}
}

// byFailure judges results with failures in them, whatever the exit status.
func byFailure(f *findings) verdict {
	v := verdict{outcome: Fail, reason: f.first.String(), excerpt: f.first.excerpt, byRounds: f.rounds != nil}
	switch {
	case f.rounds != nil && f.rounds.total() > 1:
		v.reason = fmt.Sprintf("%d of %d rounds failed, first %s", f.failed, f.ran(), v.reason)
	case f.failed > 1:
		v.reason = fmt.Sprintf("%d tests failed, first %s", f.failed, v.reason)
	}
	return v
}

// byExitAndResults judges a subject that says it failed while no result does. When some test ran, the failure is
// believed. When none did, it may never have got as far (a build that failed): it could not be run, unless a rule names
// what the output shows.
func byExitAndResults(obs trial.Observation, f *findings) verdict {
	exit := fmt.Sprintf("exit status %d", obs.Exit)
	switch {
	case f.rounds != nil && f.rounds.broken > 0:
		return verdict{outcome: Broken, named: true, reason: fmt.Sprintf("%s and %d broken rounds: %s", exit, f.rounds.broken, f.rounds.why)}
	case f.ran() > 0 && f.doubt != "":
		return verdict{outcome: Fail, reason: exit + ", " + f.doubt}
	case f.ran() > 0 && f.rounds != nil:
		return verdict{outcome: Fail, reason: exit + " though every round passed"}
	case f.ran() > 0:
		return verdict{outcome: Fail, reason: exit + " though every test passed"}
	case f.missing != "":
		return verdict{outcome: Broken, named: true, reason: exit + ", " + f.missing, excerpt: f.spot}
	case f.doubt != "":
		return verdict{outcome: Broken, named: true, reason: exit + ", " + f.doubt, excerpt: f.spot}
	}
	return verdict{outcome: Unexercised, named: true, reason: exit + ", " + noTest(f)}
}

// byResults judges a subject that says it succeeded.
func byResults(f *findings) verdict {
	switch {
	case f.missing != "":
		return verdict{outcome: Broken, reason: f.missing, excerpt: f.spot}
	case f.doubt != "":
		return verdict{outcome: Broken, reason: f.doubt, excerpt: f.spot}
	case f.ran() > 0:
		return verdict{outcome: Pass}
	case f.rounds != nil && f.rounds.unexercised > 0:
		return verdict{outcome: Unexercised, reason: fmt.Sprintf("none of %d rounds shows the required evidence", f.rounds.unexercised)}
	case f.rounds != nil && f.rounds.broken > 0:
		return verdict{outcome: Broken, reason: fmt.Sprintf("all %d rounds are broken: %s", f.rounds.broken, f.rounds.why)}
	}
	return verdict{outcome: Unexercised, reason: noTest(f)}
}

func noTest(f *findings) string {
	if f.skipped == 0 {
		return "no test ran"
	}
	return fmt.Sprintf("no test ran, %d skipped", f.skipped)
}

// holding gives the rules, in order, whose conditions on exit status and signal hold.
func (r *Rules) holding(obs trial.Observation) []rule {
	var out []rule
	for _, c := range r.classes {
		exit := c.Exit == nil || obs.Signal == "" && *c.Exit == obs.Exit
		if signal := c.Signal == "" || c.Signal == signalName(obs.Signal); exit && signal {
			out = append(out, c)
		}
	}
	return out
}

// deciding gives the rules, in order, that may change a verdict if the output matches them.
func (r *Rules) deciding(obs trial.Observation, v verdict) []rule {
	var out []rule
	for _, c := range r.holding(obs) {
		byOutput := c.pattern != nil
		byExit := c.Exit != nil && (c.Broken || v.notFound)
		switch v.outcome {
		case Fail:
			out = append(out, c)
		case Timeout: // exit status and signal are our own doing
			if byOutput && c.Exit == nil && c.Signal == "" {
				out = append(out, c)
			}
		case Broken, Unexercised:
			if v.named && (byOutput || byExit) {
				out = append(out, c)
			}
		case Pass, Censored, Lost:
		}
	}
	return out
}

// ruled gives the verdict after the rules: by the first that matched, if one did.
func (v verdict) ruled(c rule, spot string, matched bool) verdict {
	if spot != "" {
		v.excerpt = spot
	}
	switch {
	case !matched && v.outcome == Fail:
		v.class = OtherClass
	case !matched:
	case c.Broken:
		v.outcome, v.reason = Broken, c.String()+"; "+v.reason
	case v.outcome == Timeout:
	default:
		v.outcome, v.class, v.reason = Fail, c.Name, v.reason+"; "+c.String()
	}
	return v
}
