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
	{"env", false, func(r *reader, n *yaml.Node, s *Subject) { r.environment(n, &s.Env) }},
	{"unset", false, func(r *reader, n *yaml.Node, s *Subject) { r.unset(n, &s.Unset) }},
	{"services", false, readServices},
	{"command", false, func(r *reader, n *yaml.Node, s *Subject) { r.placeholders(r.command(n, s.Shell, &s.Command)) }},
	{"steps", false, readSteps},
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
	r.stepsChecks(n, at, s)
	if at["git"] == nil && s.Dir == "" {
		s.Dir = r.dir
	}
}

// stepsChecks looks at what steps take the place of.
func (r *reader) stepsChecks(n *yaml.Node, at map[string]*yaml.Node, s *Subject) {
	switch {
	case resolve(n).Kind != yaml.MappingNode:
	case at["command"] == nil && at["steps"] == nil:
		r.fail(resolve(n), "command runs a program, steps is a list of HTTP requests", "subject has neither command nor steps")
	case at["command"] != nil && at["steps"] != nil:
		r.fail(at["steps"], "leave one of them out", "subject has both command and steps")
	case at["steps"] == nil:
	case at["shell"] != nil:
		r.fail(at["shell"], "leave it out", "shell is for a command, not for steps")
	case at["results"] != nil && s.Results.Format != ResultRecords:
		r.fail(at["results"], "leave it out", "steps report by records")
	default:
		s.Results.Format = ResultRecords
	}
}

func readCompile(r *reader, n *yaml.Node, s *Subject) {
	texts, at := r.command(n, false, &s.Compile)
	r.compilePlaceholders(n, texts, at)
}
