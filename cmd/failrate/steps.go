package main

import (
	"fmt"
	"io"
	"os"

	"github.com/failrate/failrate/containers/agent"
	"github.com/failrate/failrate/harness/steps"
	"github.com/failrate/failrate/harness/study"
)

// stepRunners are the commands that run the subject's steps: natively this very program, in containers the agent's, which
// is in every image.
func (j *job) stepRunners() (map[study.Platform][]string, error) {
	if len(j.study.Subject.Steps) == 0 {
		return nil, nil
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program, which runs the steps: %w", err)
	}
	return map[study.Platform][]string{
		study.Native: {self, steps.Argument}, study.Container: {agent.Program, steps.Argument},
	}, nil
}

// printSteps says what the trials of a study with steps do; nothing for any other study.
func printSteps(to io.Writer, s *study.Study) error {
	for i, step := range s.Subject.Steps {
		if _, err := fmt.Fprintf(to, "  step %d: %s\n", i+1, step); err != nil {
			return wrap(exitUnexpected, err)
		}
	}
	return nil
}
