package study

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/failrate/failrate/harness/steps"
)

// Digest is the hex SHA-256 of the study and of the patches and files that it names. It does not depend on where the
// study is, nor on how study.yaml is written. An error says which file cannot be read.
func (s *Study) Digest() (string, error) {
	c, err := s.relative()
	if err != nil {
		return "", err
	}
	files := map[string]string{}
	for _, v := range s.all() {
		for _, absolute := range slices.Concat(v.Patches, slices.Collect(maps.Values(v.Files))) {
			rel, err := s.rel(absolute)
			if err != nil {
				return "", err
			}
			if files[rel], err = fileDigest(absolute); err != nil {
				return "", err
			}
		}
	}
	return digest(struct {
		Study *Study
		Files map[string]string
	}{c, files})
}

// RulesDigest is the hex SHA-256 of what decides outcomes and classes: an outcome can be told to be of other rules.
func (s *Study) RulesDigest() string {
	d, err := digest(struct {
		Classes  []Class
		Evidence []Evidence
		Results  Results
	}{withoutSource(s.Classes), s.Evidence, s.Subject.Results})
	if err != nil { // only strings, numbers and booleans
		panic(fmt.Sprintf("study: encode the rules: %v", err))
	}
	return d
}

// VariantDigest is the hex SHA-256 of what a variant makes of the subject: two variants with the same one are
// identical, whatever they are called and however they say it.
func (s *Study) VariantDigest(v Variant) (string, error) {
	c, err := s.relative()
	if err != nil {
		return "", err
	}
	e := c.Subject
	patches := []string{}
	for _, p := range v.Patches {
		d, err := fileDigest(p)
		if err != nil {
			return "", err
		}
		patches = append(patches, d)
	}
	files := map[string]string{}
	for at, source := range v.Files {
		if files[at], err = fileDigest(source); err != nil {
			return "", err
		}
	}
	if v, err = s.relativeVariant(v); err != nil {
		return "", err
	}
	e.Steps = withoutPlaces(e.Steps)
	return digest(struct {
		Subject Subject
		Patches []string
		Files   map[string]string
	}{e.changedBy(v), patches, files})
}

// changedBy is the subject with the variant's changes but for patches and files.
func (e Subject) changedBy(v Variant) Subject {
	if len(v.Command) > 0 {
		e.Command = v.Command
	}
	e.Services = e.servicesFor(v)
	e.Steps = steps.Script{Steps: e.Steps}.For(v.Name).Steps
	e.Command = slices.Concat(e.Command, v.Args)
	e.Env = merged(e.Env, v.Env)
	if v.Image.given() {
		e.Image = v.Image
	}
	e.Image.Args = merged(e.Image.Args, v.BuildArgs)
	if v.Setup != nil {
		e.Setup = v.Setup
	}
	e.Setup = slices.Concat([][]string{}, e.Setup)
	if e.Git != nil && v.Ref != "" {
		e.Git = &Git{URL: e.Git.URL, Ref: v.Ref}
	}
	return e
}

func merged(base, change map[string]string) map[string]string {
	out := map[string]string{}
	maps.Copy(out, base)
	maps.Copy(out, change)
	return out
}

func withoutSource(classes []Class) []Class {
	out := slices.Clone(classes)
	for i := range out {
		out[i].Source = ""
	}
	return out
}

// withoutPlaces is the steps without what only says where they stood.
func withoutPlaces(list []steps.Step) []steps.Step {
	out := slices.Clone(list)
	for i := range out {
		out[i].Source = ""
	}
	return out
}

func fileDigest(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func digest(v any) (string, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("digest: %w", err)
	}
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:]), nil
}
