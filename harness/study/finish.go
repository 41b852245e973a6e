package study

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// finish fills in what depends on several keys and checks what only a whole study can show. It runs on a study
// whose keys are all well.
func (r *reader) finish(root *yaml.Node, at map[string]*yaml.Node) {
	s := r.study
	if len(s.Variants) == 0 {
		s.Variants = []Variant{{Name: defaultBaseline}}
	}
	if s.Baseline == "" {
		r.chooseBaseline(root)
	}
	r.laterNames()
	if at["platforms"] == nil {
		r.choosePlatforms(root)
	} else {
		r.checkPlatforms(at["platforms"])
	}
	if len(r.errs) > 0 {
		return
	}
	where := root
	if at["iterations"] != nil {
		where = at["iterations"]
	}
	warning, err := s.Size().Check()
	if err != nil {
		r.fail(where, "lower iterations, or leave out variants, platforms, stress levels or values of parameters", "%v", err)
		return
	}
	if warning != "" {
		s.Warnings = append(s.Warnings, warning)
	}
	s.Warnings = append(s.Warnings, s.stressWarnings()...)
	s.Warnings = append(s.Warnings, s.stepWarnings()...)
	same, err := s.identical()
	if err != nil {
		r.fail(root, "", "%v", err)
	}
	s.Warnings = append(s.Warnings, same...)
}

// defaultBaseline is the baseline of a study that names none.
const defaultBaseline = "baseline"

func (r *reader) chooseBaseline(root *yaml.Node) {
	s := r.study
	switch have := variantNames(s); {
	case slices.Contains(have, defaultBaseline):
		s.Baseline = defaultBaseline
	case len(have) == 1:
		s.Baseline = have[0]
	default:
		r.fail(root, fmt.Sprintf("add baseline: %s, or another of the variants", have[0]), "study has no %q", "baseline")
	}
}

// choosePlatforms takes the platforms that every variant and every service can run on.
func (r *reader) choosePlatforms(root *yaml.Node) {
	s := r.study
	if s.imageless() == "" && s.serviceless(Container) == "" {
		s.Platforms = []Platform{Container}
	}
	if s.serviceless(Native) == "" {
		s.Platforms = append(s.Platforms, Native)
	}
	if len(s.Platforms) == 0 {
		r.fail(root, "give it a command", "the service %q runs in containers only, and the subject has no image", s.serviceless(Native))
	}
}

func (r *reader) checkPlatforms(n *yaml.Node) {
	s := r.study
	if name := s.imageless(); name != "" && slices.Contains(s.Platforms, Container) {
		r.fail(n, "add subject.image, or subject.compile for a static program", "the platform container needs an image, and %q has none", name)
	}
	if name := s.serviceless(Container); name != "" && slices.Contains(s.Platforms, Container) {
		r.fail(n, "add its image, subject.image, or subject.compile for a static program", "the platform container needs an image, and the service %q has none", name)
	}
	if name := s.serviceless(Native); name != "" && slices.Contains(s.Platforms, Native) {
		r.fail(n, "give it a command: a program of the subject's tree, or one in PATH", "the platform native needs commands, and the service %q has none", name)
	}
}

// serviceless names the first service that could not run on a platform; empty when all can.
func (s *Study) serviceless(p Platform) string {
	inTree := s.Subject.Image.given() || len(s.Subject.Compile) > 0
	for _, v := range s.all() {
		for _, x := range s.Subject.servicesFor(v) {
			if p == Native && len(x.Command) == 0 || p == Container && !x.Image.given() && !inTree && !v.Image.given() {
				return x.Name
			}
		}
	}
	return ""
}

// imageless names the first variant or control that could not run in a container; empty when all can. Steps need no
// image: the program that runs them is brought along.
func (s *Study) imageless() string {
	if s.Subject.Image.given() || len(s.Subject.Compile) > 0 || len(s.Subject.Steps) > 0 {
		return ""
	}
	for _, v := range s.all() {
		if !v.Image.given() {
			return v.Name
		}
	}
	return ""
}

func (i Image) given() bool { return i.Name != "" || i.Build != "" }

// all lists the variants and then the controls.
func (s *Study) all() []Variant {
	out := slices.Clone(s.Variants)
	for _, c := range s.Controls {
		out = append(out, c.Variant)
	}
	return out
}

// stressWarnings says which levels are not what their name promises on one of the platforms.
func (s *Study) stressWarnings() []string {
	if !slices.Contains(s.Platforms, Native) {
		return nil
	}
	var out []string
	for _, l := range s.Stress {
		if l.Quota > 0 {
			out = append(out, fmt.Sprintf("stress level %q: its quota acts in containers only, not natively", l.Name))
		}
		if l.Place == Inside {
			out = append(out, fmt.Sprintf("stress level %q: workers inside the container are for containers only; natively they are beside the trial", l.Name))
		}
	}
	return out
}

// stepWarnings names the first request that a container without network cannot make: it reaches the subject's services.
func (s *Study) stepWarnings() []string {
	if s.Subject.Network != NetworkNone || !slices.Contains(s.Platforms, Container) {
		return nil
	}
	for _, step := range s.Subject.Steps {
		_, host, _ := strings.Cut(step.URL, "://")
		m := startName.FindStringSubmatch(host)
		if step.Method == "" || m != nil && slices.ContainsFunc(s.Subject.Services, func(x Service) bool { return slices.Contains(x.names(), m[1]) }) {
			continue
		}
		return []string{fmt.Sprintf("%s: %s %s reaches nobody from a container without network: subject.network: bridge gives it one", step.Source, step.Method, clip(step.URL))}
	}
	return nil
}

var startName = regexp.MustCompile(`^\{([a-z0-9][a-z0-9._-]*)\}`)

// identical warns of variants that measure the same thing under two names.
func (s *Study) identical() ([]string, error) {
	var out []string
	first := map[string]string{}
	for _, v := range s.Variants {
		digest, err := s.VariantDigest(v)
		if err != nil {
			return nil, err
		}
		if other, same := first[digest]; same {
			out = append(out, fmt.Sprintf("these two are identical: %s and %s", other, v.Name))
			continue
		}
		first[digest] = v.Name
	}
	return out, nil
}
