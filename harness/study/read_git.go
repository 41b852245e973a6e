package study

import (
	"path/filepath"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

var gitKeys = []key[Git]{
	{"url", true, func(r *reader, n *yaml.Node, g *Git) { r.gitURL(n, g) }},
	{"ref", false, func(r *reader, n *yaml.Node, g *Git) { r.gitRef(n, &g.Ref) }},
}

func readGit(r *reader, n *yaml.Node, s *Subject) {
	s.Git = &Git{}
	readKeys(r, n, "git", gitKeys, s.Git)
}

var (
	refPattern      = regexp.MustCompile(`^[^-\s\x00-\x1f\x7f][^\s\x00-\x1f\x7f]*$`)
	schemePattern   = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]*)://`)
	scpPattern      = regexp.MustCompile(`^([A-Za-z0-9_.-]+@)?[A-Za-z0-9][A-Za-z0-9.-]*:[^:]`)
	passwordPattern = regexp.MustCompile(`^[A-Za-z0-9+.-]+://[^/@]*:[^/@]*@`)
)

func (r *reader) gitRef(n *yaml.Node, into *string) {
	var text string
	if r.word(n, &text) {
		if !refPattern.MatchString(text) || len(text) > 250 {
			r.fail(n, "", "%s is not a git branch, tag or commit", clip(text))
			return
		}
		*into = text
	}
}

// gitURL reads where the repository is. A relative path is relative to the study's folder, and may leave it.
func (r *reader) gitURL(n *yaml.Node, into *Git) {
	var text string
	if !r.text(n, &text) {
		return
	}
	scheme := schemePattern.FindStringSubmatch(text)
	switch {
	case text == "" || strings.HasPrefix(text, "-") || strings.ContainsAny(text, "\r\n\t ") || strings.Contains(text, "::"):
		r.fail(n, "https, ssh and file URLs and paths are read", "%s is not a git repository's URL", clip(text))
	case passwordPattern.MatchString(text):
		r.fail(n, "leave it out and let git's credential helper give it", "url holds a password")
	case scheme != nil && scheme[1] != "https" && scheme[1] != "ssh" && scheme[1] != "file":
		r.fail(n, "https, ssh and file URLs and paths are read", "%s: git repositories are not cloned by %s", clip(text), scheme[1])
	case scheme != nil || scpPattern.MatchString(text) || filepath.IsAbs(text):
		into.URL, into.written = text, text
	default:
		into.URL, into.written = filepath.Join(r.dir, text), text
	}
}
