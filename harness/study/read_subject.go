package study

import "go.yaml.in/yaml/v3"

// subjectKeys are the keys of subject. Whether a shell runs the command is read before the command.
var subjectKeys = []key[Subject]{
	{"git", false, readGit},
	{"dir", false, func(r *reader, n *yaml.Node, s *Subject) { r.folder(n, &s.Dir) }},
	{"shell", false, func(r *reader, n *yaml.Node, s *Subject) { r.flag(n, &s.Shell) }},
	{"compile", false, readCompile},
	{"image", false, func(r *reader, n *yaml.Node, s *Subject) { readImage(r, n, &s.Image) }},
	{"build", false, func(r *reader, n *yaml.Node, s *Subject) {
		if r.folder(n, &s.Image.Build) {
			s.Image.Pull = PullMissing
		}
	}},
	{"setup", false, func(r *reader, n *yaml.Node, s *Subject) {
		if r.setup(n, s.Shell, &s.Setup); len(s.Setup) == 0 {
			s.Setup = nil
		}
	}},
	{"command", true, func(r *reader, n *yaml.Node, s *Subject) { r.placeholders(r.command(n, s.Shell, &s.Command)) }},
	{"env", false, func(r *reader, n *yaml.Node, s *Subject) { r.environment(n, &s.Env) }},
	{"unset", false, func(r *reader, n *yaml.Node, s *Subject) { r.unset(n, &s.Unset) }},
	{"results", false, func(r *reader, n *yaml.Node, s *Subject) { readResults(r, n, &s.Results) }},
	{"timeout", false, func(r *reader, n *yaml.Node, s *Subject) { r.duration(n, &s.Timeout) }},
	{"grace", false, func(r *reader, n *yaml.Node, s *Subject) { r.duration(n, &s.Grace) }},
	{"isolation", false, func(r *reader, n *yaml.Node, s *Subject) { readIsolation(r, n, &s.Isolation) }},
	{"network", false, func(r *reader, n *yaml.Node, s *Subject) { one(r, n, &s.Network, NetworkNone, NetworkBridge) }},
	{"limits", false, func(r *reader, n *yaml.Node, s *Subject) { readKeys(r, n, "limits", limitsKeys, &s.Limits) }},
	{"max-output", false, func(r *reader, n *yaml.Node, s *Subject) { r.size(n, &s.MaxOutput) }},
}

// readSubject reads subject, and checks what two of its keys say together.
func readSubject(r *reader, n *yaml.Node, s *Subject) {
	at := readKeys(r, n, "subject", subjectKeys, s)
	if at["git"] != nil && at["dir"] != nil {
		r.fail(at["dir"], "leave one of them out", "subject has both git and dir")
	}
	if at["image"] != nil && at["build"] != nil {
		r.fail(at["build"], "build: FOLDER is short for image: {build: FOLDER}", "subject has both image and build")
	}
	if at["git"] == nil && s.Dir == "" {
		s.Dir = r.dir
	}
}

func readCompile(r *reader, n *yaml.Node, s *Subject) {
	texts, at := r.command(n, false, &s.Compile)
	r.compilePlaceholders(n, texts, at)
}
