package study

import (
	"path/filepath"

	"go.yaml.in/yaml/v3"
)

var variantKeys = []key[Variant]{
	{"patch", false, readPatches},
	{"ref", false, func(r *reader, n *yaml.Node, v *Variant) { r.gitRef(n, &v.Ref) }},
	{"files", false, func(r *reader, n *yaml.Node, v *Variant) { r.laidOver(n, &v.Files) }},
	{"env", false, func(r *reader, n *yaml.Node, v *Variant) { r.environment(n, &v.Env) }},
	{"args", false, func(r *reader, n *yaml.Node, v *Variant) {
		texts, at := r.words(n, "words")
		r.placeholders(texts, at)
		v.Args = texts
	}},
	{"command", false, func(r *reader, n *yaml.Node, v *Variant) {
		r.placeholders(r.command(n, r.study.Subject.Shell, &v.Command))
	}},
	{"image", false, func(r *reader, n *yaml.Node, v *Variant) { readImage(r, n, &v.Image) }},
	{"setup", false, func(r *reader, n *yaml.Node, v *Variant) { r.setup(n, r.study.Subject.Shell, &v.Setup) }},
	{"build-args", false, func(r *reader, n *yaml.Node, v *Variant) { r.buildArgs(n, &v.BuildArgs) }},
	{"services", false, func(r *reader, n *yaml.Node, v *Variant) { r.serviceChanges(n, &v.Services) }},
}

// readVariants reads the variants. One whose values are wrong still counts by name, so that nothing else is blamed.
func readVariants(r *reader, n *yaml.Node, s *Study) {
	pairs, ok := r.pairs(n)
	if !ok {
		return
	}
	if len(pairs) == 0 {
		r.fail(n, "leave it out to measure the subject as it is", "variants is empty")
	}
	for _, p := range pairs {
		if !r.name(p.at, p.name, "variant", variantNames(s)) {
			continue
		}
		v := Variant{Name: p.name}
		if !isNull(p.value) {
			at := readKeys(r, p.value, "variant", variantKeys, &v)
			r.variantChecks(at, v)
		}
		s.Variants = append(s.Variants, v)
	}
}

// variantChecks looks at what a variant's change needs of the subject.
func (r *reader) variantChecks(at map[string]*yaml.Node, v Variant) {
	sub := r.study.Subject
	for _, k := range []string{"args", "command"} {
		if n := at[k]; n != nil && len(sub.Steps) > 0 {
			r.fail(n, "change env, and write ${NAME} in the steps; or give the steps only: and except:", "%s changes the command, but the subject has steps", k)
		}
	}
	if n := at["ref"]; n != nil && sub.Git == nil {
		r.fail(n, "ref needs subject.git", "ref changes the commit, but the subject is a folder")
	}
	built := sub.Image.Build
	if v.Image.given() {
		built = v.Image.Build
	}
	if n := at["build-args"]; n != nil && built == "" {
		r.fail(n, "build-args need an image with build", "build-args change nothing: the image is not built")
	}
}

func readPatches(r *reader, n *yaml.Node, v *Variant) {
	texts, at := r.oneOrMore(n, "patches")
	for i, text := range texts {
		absolute, ok := r.regularFile(at[i], text)
		if !ok {
			continue
		}
		if err := r.checkPatch(absolute); err != nil {
			r.fail(at[i], "", "patch %s: %v", clip(text), err)
			continue
		}
		v.Patches = append(v.Patches, absolute)
	}
}

func (r *reader) checkPatch(absolute string) error {
	rel, err := filepath.Rel(r.dir, absolute)
	if err != nil {
		return err
	}
	f, err := r.root.Open(rel)
	if err != nil {
		return reason(err)
	}
	defer f.Close()
	_, err = CheckPatch(f)
	return err
}
