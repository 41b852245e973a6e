package study

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
)

// relative is a copy of the study with paths relative to its folder, and without what is no part of the question.
func (s *Study) relative() (*Study, error) {
	c := *s
	c.Dir, c.Warnings = "", nil
	c.Classes = withoutSource(s.Classes)
	if s.Subject.Git != nil {
		c.Subject.Git = &Git{URL: s.Subject.Git.asWritten(), Ref: s.Subject.Git.Ref}
	}
	var err error
	for _, p := range []*string{&c.Subject.Dir, &c.Subject.Image.Build} {
		if *p, err = s.rel(*p); err != nil {
			return nil, err
		}
	}
	c.Subject.Steps = withoutPlaces(s.Subject.Steps)
	c.Subject.Services = slices.Clone(s.Subject.Services)
	for i := range c.Subject.Services {
		image := &c.Subject.Services[i].Image
		if image.Build, err = s.rel(image.Build); err != nil {
			return nil, err
		}
	}
	c.Variants = slices.Clone(s.Variants)
	c.Controls = slices.Clone(s.Controls)
	for i := range c.Variants {
		if c.Variants[i], err = s.relativeVariant(c.Variants[i]); err != nil {
			return nil, err
		}
	}
	for i := range c.Controls {
		if c.Controls[i].Variant, err = s.relativeVariant(c.Controls[i].Variant); err != nil {
			return nil, err
		}
	}
	return &c, nil
}

func (s *Study) relativeVariant(v Variant) (Variant, error) {
	var err error
	if v.Image.Build, err = s.rel(v.Image.Build); err != nil {
		return v, err
	}
	v.Patches = slices.Clone(v.Patches)
	for i, p := range v.Patches {
		if v.Patches[i], err = s.rel(p); err != nil {
			return v, err
		}
	}
	v.Services = maps.Clone(v.Services)
	for name, change := range v.Services {
		if change.Image.Build, err = s.rel(change.Image.Build); err != nil {
			return v, err
		}
		v.Services[name] = change
	}
	v.Files = maps.Clone(v.Files)
	for at, source := range v.Files {
		if v.Files[at], err = s.rel(source); err != nil {
			return v, err
		}
	}
	return v, nil
}

// rel turns an absolute path inside the study's folder into a relative one with slashes; an empty one stays empty.
func (s *Study) rel(absolute string) (string, error) {
	if absolute == "" {
		return "", nil
	}
	rel, err := filepath.Rel(s.Dir, absolute)
	if err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("study %s: %s is not inside its folder %s", s.Name, absolute, s.Dir)
	}
	return filepath.ToSlash(rel), nil
}

func (g *Git) asWritten() string {
	if g.written != "" {
		return g.written
	}
	return g.URL
}
