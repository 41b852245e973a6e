package main

import (
	"slices"
	"strings"

	"github.com/failrate/failrate/harness/mask"
)

// hideSecrets collects the values that must not be written down: of the caller's environment and of the study's own. The
// command line is kept in every report, so it must not hold one.
func (j *job) hideSecrets() error {
	env := slices.Concat(j.app.env, pairs(j.study.Subject.Env))
	for _, s := range j.study.Subject.Services {
		env = append(env, pairs(s.Env)...)
	}
	variants := slices.Clone(j.study.Variants)
	for _, c := range j.study.Controls {
		variants = append(variants, c.Variant)
	}
	for _, v := range variants {
		env = append(env, pairs(v.Env)...)
		for _, s := range v.Services {
			env = append(env, pairs(s.Env)...)
		}
	}
	var err error
	if j.mask, err = mask.New(env, j.opts.run.Mask, !j.opts.run.NoMask); err != nil {
		return fail(exitUsage, "leave it out of --mask", "--mask: %w", err)
	}
	line := strings.Join(j.repeat(), " ")
	if j.mask.String(line) != line {
		return fail(exitUsage, "refer to the variable by its name, as trials inherit the environment; --no-mask if it is no secret",
			"the command line holds the value of a secret environment variable, and reports would repeat it")
	}
	return nil
}
