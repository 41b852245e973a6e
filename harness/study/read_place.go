package study

import (
	"regexp"

	"github.com/distribution/reference"
	"go.yaml.in/yaml/v3"
)

var imageKeys = []key[Image]{
	{"name", false, func(r *reader, n *yaml.Node, i *Image) { r.imageName(n, &i.Name) }},
	{"build", false, func(r *reader, n *yaml.Node, i *Image) { r.folder(n, &i.Build) }},
	{"pull", false, func(r *reader, n *yaml.Node, i *Image) { one(r, n, &i.Pull, PullMissing, PullAlways, PullNever) }},
	{"args", false, func(r *reader, n *yaml.Node, i *Image) { r.buildArgs(n, &i.Args) }},
}

// readImage reads an image: a mapping, or the name alone.
func readImage(r *reader, n *yaml.Node, into *Image) {
	i := Image{Pull: PullMissing}
	if resolve(n).Kind == yaml.ScalarNode {
		r.imageName(n, &i.Name)
	} else {
		at := readKeys(r, n, "image", imageKeys, &i)
		switch s := resolve(n); {
		case s.Kind != yaml.MappingNode:
		case (at["name"] == nil) == (at["build"] == nil):
			r.fail(n, "name says which image to take, build the folder to make it from", "image has to have one of name and build")
		case at["args"] != nil && at["build"] == nil:
			r.fail(at["args"], "", "args are for an image that is built")
		}
	}
	*into = i
}

func (r *reader) imageName(n *yaml.Node, into *string) {
	var text string
	if !r.text(n, &text) {
		return
	}
	if _, err := reference.ParseNormalizedNamed(text); err != nil {
		r.fail(n, "such as eclipse-temurin:21", "%s is not an image's name: %v", clip(text), err)
		return
	}
	*into = text
}

var isolationKeys = []key[Isolation]{
	{"native", false, func(r *reader, n *yaml.Node, i *Isolation) { one(r, n, &i.Native, NativeShared, NativeCopy) }},
	{"container", false, func(r *reader, n *yaml.Node, i *Isolation) {
		one(r, n, &i.Container, ContainerFresh, ContainerWarm)
	}},
}

// readIsolation reads a mapping, or one word: each belongs to one platform and leaves the other's at its default.
func readIsolation(r *reader, n *yaml.Node, i *Isolation) {
	if resolve(n).Kind != yaml.ScalarNode {
		readKeys(r, n, "isolation", isolationKeys, i)
		return
	}
	var text string
	one(r, n, &text, string(NativeShared), string(NativeCopy), string(ContainerFresh), string(ContainerWarm))
	switch text {
	case string(NativeShared), string(NativeCopy):
		i.Native = NativeIsolation(text)
	case string(ContainerFresh), string(ContainerWarm):
		i.Container = ContainerIsolation(text)
	}
}

const maxCores = 4096

var limitsKeys = []key[Limits]{
	{"cpus", false, func(r *reader, n *yaml.Node, l *Limits) { r.cores(n, &l.CPUs) }},
	{"cpuset", false, func(r *reader, n *yaml.Node, l *Limits) { r.cpuset(n, &l.CPUSet) }},
	{"memory", false, func(r *reader, n *yaml.Node, l *Limits) { r.size(n, &l.Memory) }},
	{"pids", false, func(r *reader, n *yaml.Node, l *Limits) { r.whole(n, 1, 1<<22, &l.Pids) }},
}

// cores reads a number of cores, which may be a fraction.
func (r *reader) cores(n *yaml.Node, into *float64) {
	var f float64
	if !r.number(n, &f) {
		return
	}
	if f <= 0 || f > maxCores {
		r.fail(n, "", "%s must be above 0 and at most %d, not %s", r.label, maxCores, resolve(n).Value)
		return
	}
	*into = f
}

var cpusetPattern = regexp.MustCompile(`^[0-9]{1,4}(-[0-9]{1,4})?(,[0-9]{1,4}(-[0-9]{1,4})?)*$`)

func (r *reader) cpuset(n *yaml.Node, into *string) {
	var text string
	if !r.word(n, &text) {
		return
	}
	if !cpusetPattern.MatchString(text) {
		r.fail(n, "such as 0, 0-1 or 0,2", "%s is not a set of cores", clip(text))
		return
	}
	*into = text
}
