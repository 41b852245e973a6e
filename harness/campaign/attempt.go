package campaign

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/harness/journal"
	"github.com/failrate/failrate/harness/plan"
	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
)

// trial runs attempts of one trial until one settles it or the retries are used up.
func (r *runner) trial(ctx context.Context, b plan.Block, t plan.Trial) error {
	first := 1
	if r.cfg.Past != nil {
		first = r.cfg.Past.Attempts(t.ID) + 1
	}
	_, unready := r.unready(t.Cell)
	last := max(first, 1+r.cfg.Study.Broken.Retries)
	for attempt := first; ; attempt++ {
		if r.mayStart(ctx) != nil {
			return nil // it waited for a worker meanwhile; the loop finds the same reason
		}
		j, err := r.attempt(ctx, b, t, attempt)
		if err != nil {
			return err
		}
		switch j.Outcome {
		case classify.Pass, classify.Fail, classify.Timeout, classify.Unexercised:
			r.settle(t, j)
			return nil
		case classify.Censored:
			return r.halt(StopDrained, "interrupted: what ran was ended and does not count") // a resumed campaign runs it again
		case classify.Broken, classify.Lost:
			if unready || attempt >= last {
				r.settle(t, j)
				return nil
			}
		}
	}
}

// attempt runs one attempt and puts it on record: started before, finished after.
func (r *runner) attempt(ctx context.Context, b plan.Block, t plan.Trial, attempt int) (classify.Judgement, error) {
	id := plan.AttemptID(t.ID, attempt)
	if err := r.cfg.Recorder.Start(journal.Started{ID: id, Started: r.cfg.now()}); err != nil {
		return classify.Judgement{}, r.recordFailed(err)
	}
	r.announce(Event{Kind: AttemptStarted, Trial: t, Attempt: attempt})
	obs, j := r.observeAttempt(ctx, b, t, attempt)
	if err := r.cfg.Recorder.Finish(journal.Finished{ID: id, Observation: obs, Judgement: j}); err != nil {
		return j, r.recordFailed(err)
	}
	r.announce(Event{Kind: AttemptFinished, Trial: t, Attempt: attempt, Judgement: j, Wall: obs.Wall})
	return j, r.countBroken(t, j)
}

// observeAttempt executes and judges. Its files are gone, or kept as the study says, when it returns.
func (r *runner) observeAttempt(ctx context.Context, b plan.Block, t plan.Trial, attempt int) (trial.Observation, classify.Judgement) {
	if why, unready := r.unready(t.Cell); unready {
		return r.judgeFault(t, "subject not prepared: "+why)
	}
	exec := r.cfg.Executors[t.Cell.Platform]
	if exec == nil {
		return r.judgeFault(t, fmt.Sprintf("no executor for platform %s", t.Cell.Platform))
	}
	req, err := r.request(t, attempt)
	if err != nil {
		return r.judgeFault(t, err.Error())
	}
	req.Block = blockOf(b)
	place, out, err := r.places.open(req, onStdout(r.cfg.Study.Subject.Results))
	if err != nil {
		return r.judgeFault(t, "make the attempt's folder: "+err.Error())
	}
	req.Out = out
	held, err := r.hold(ctx, t, &req)
	if err != nil {
		return r.judgeFault(t, oneLine("hold the stress level: "+errors.Join(err, place.discard()).Error()))
	}
	obs := exec.Execute(ctx, req)
	held.release(&obs)
	hidden := r.hideSecrets(out, &obs)
	j := r.cfg.Rules.Judge(t.Cell.Variant, obs, classify.OpenInput(req.Out))
	keep := r.cfg.Study.Keep
	if !hidden {
		keep = study.KeepNone
	}
	if err := place.close(keep, j.Outcome); err != nil {
		j.Reason = oneLine(j.Reason + "; its log could not be kept: " + err.Error())
	}
	return obs, j
}

// onStdout reports whether results are read from stdout alone.
func onStdout(res study.Results) bool {
	return res.Files == "" && (res.Format == study.ResultGoTest || res.Format == study.ResultTAP)
}

func (r *runner) unready(c plan.Cell) (string, bool) {
	why, ok := r.cfg.Unready[c.Variant+"/"+string(c.Platform)]
	return why, ok
}

// judgeFault is the observation and the judgement of an attempt that never reached an executor.
func (r *runner) judgeFault(t plan.Trial, why string) (trial.Observation, classify.Judgement) {
	obs := trial.Observation{Started: r.cfg.now(), Exit: -1, Fault: oneLine(r.cfg.Mask.String(why))}
	return obs, r.cfg.Rules.Judge(t.Cell.Variant, obs, classify.Input{})
}

// countBroken stops the campaign when too large a share of the attempts could not be run. A variant whose set-up
// failed is known to be broken and does not count.
func (r *runner) countBroken(t plan.Trial, j classify.Judgement) error {
	if _, unready := r.unready(t.Cell); unready {
		return nil
	}
	r.mu.Lock()
	over := r.broken.add(j.Outcome)
	text := r.broken.String()
	r.mu.Unlock()
	if over {
		return r.halt(StopBroken, fmt.Sprintf("%s (last: %s)", text, j.Reason))
	}
	return nil
}

// oneLine makes a text one line of at most classify.MaxReason bytes.
func oneLine(s string) string {
	s = strings.ToValidUTF8(strings.Join(strings.Fields(s), " "), "\uFFFD")
	if len(s) > classify.MaxReason {
		s = strings.ToValidUTF8(s[:classify.MaxReason-len("…")], "") + "…"
	}
	return s
}
