package classify

import (
	"fmt"
	"io"
	"slices"

	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
)

// searchAll searches what the result files hold and the output.
func (r *Rules) searchAll(s *search, obs trial.Observation, in Input) error {
	for _, name := range obs.Results {
		file, err := fileIn(in, name).open()
		if err != nil {
			continue // whatever that means for the verdict, it has been found before
		}
		bounded := io.LimitReader(file, maxResultBytes)
		switch r.results.Format {
		case study.ResultJUnit:
			readJUnit(bounded, r.retriedPass(), s)
		case study.ResultGoTest:
			_ = goText(bounded, s)
		case study.ResultTAP:
			_, _ = io.Copy(s, bounded)
		case study.ResultExit, study.ResultRecords:
		}
		s.end()
		file.Close()
	}
	return r.searchLog(s, obs, in)
}

// searchLog searches the output.
func (r *Rules) searchLog(s *search, obs trial.Observation, in Input) error {
	log, err := in.Log.open()
	if absent(err) && obs.Output.Bytes == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	defer log.Close()
	defer s.end()
	if r.results.Format == study.ResultGoTest {
		return goText(log, s)
	}
	_, err = io.Copy(s, log)
	return err
}

// Check reports whether everything is still there that Judge may read for this attempt. When it is not, a judgement
// made anew would differ from the first one for no good reason. The error is fs.ErrNotExist for a file that was not kept.
func (r *Rules) Check(obs trial.Observation, in Input) error {
	if _, over := unjudged(obs); over {
		return nil
	}
	type need struct {
		what string
		from Source
	}
	var needs []need
	if obs.Output.Bytes > 0 && (r.looks() || r.results.Format != study.ResultExit) {
		needs = append(needs, need{"output", in.Log})
	}
	switch {
	case r.results.Format == study.ResultExit:
	case r.results.Format == study.ResultRecords:
		needs = append(needs, need{"records", in.Records})
	case r.results.Format != study.ResultJUnit && r.results.Files == "" && obs.Output.Bytes > 0:
		needs = append(needs, need{"standard output", r.stdout(in)})
	default:
		for _, name := range obs.Results {
			needs = append(needs, need{fmt.Sprintf("result file %q", name), fileIn(in, name)})
		}
	}
	for _, n := range needs {
		f, err := n.from.open()
		if err != nil {
			return fmt.Errorf("%s: %w", n.what, err)
		}
		f.Close()
	}
	return nil
}

// looks reports whether any rule or evidence looks into the output.
func (r *Rules) looks() bool {
	return slices.ContainsFunc(r.classes, func(c rule) bool { return c.pattern != nil }) ||
		slices.ContainsFunc(r.marks, func(e evidence) bool { return e.match != nil })
}
