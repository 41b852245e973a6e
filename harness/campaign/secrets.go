package campaign

import (
	"errors"

	"github.com/failrate/failrate/harness/trial"
)

// hideSecrets hides secrets in what an attempt left behind, before it is judged: then no text that is taken from it can
// hold one, and outcomes that are derived again later see the same. Artifacts are the subject's own and stay as they are.
// When that fails the attempt is broken, and
// nothing of its files may be kept.
func (r *runner) hideSecrets(out trial.Output, obs *trial.Observation) (hidden bool) {
	m := r.cfg.Mask
	if m.Empty() {
		return true
	}
	err := errors.Join(m.File(out.Log), m.File(out.Stdout), m.File(out.Records), m.Folder(out.Results), m.Folder(out.Services))
	obs.Fault, obs.Death, obs.Leaked = m.String(obs.Fault), m.String(obs.Death), m.Strings(obs.Leaked)
	facts := trial.Facts{}
	for name, value := range obs.Facts {
		facts[name] = m.String(value)
	}
	obs.Facts = facts
	if err != nil {
		obs.Fault = oneLine(m.String(err.Error()))
	}
	return err == nil
}
