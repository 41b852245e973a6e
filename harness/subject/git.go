package subject

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/failrate/failrate/harness/trial/process"
)

// git asks git something and gives its answer. What takes long or changes a tree goes through run instead.
func (p *Preparer) git(ctx context.Context, dir string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, p.o.Timeout)
	defer cancel()
	c := exec.CommandContext(ctx, "git", append(plainGit(), args...)...)
	c.Dir, c.Env = dir, process.Environ(p.o.Env, gitVariables...)
	var out, complaint bytes.Buffer
	c.Stdout, c.Stderr = &out, &complaint
	if err := c.Run(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return "", fmt.Errorf("git is needed and not installed: %w", err)
		}
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, clip(strings.TrimSpace(complaint.String())))
	}
	return out.String(), nil
}

// plainGit begins git's arguments: no housekeeping in the background, and files as they are in the repository.
func plainGit() []string {
	return []string{"-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "core.autocrlf=false", "-c", "core.fsmonitor=false"}
}

// gitVariables keep git from asking a person, and its messages in one language.
var gitVariables = []string{"GIT_TERMINAL_PROMPT=0", "LC_ALL=C"}

// alone makes git take a tree for what it is: no settings of the user, and no repository above it, of which it would
// take the tree for a part and then leave a patch out without a word.
func alone(above string) []string {
	return append([]string{"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES=" + above}, gitVariables...)
}

// withoutGit drops what a git hook that we may run below has set for its own repository.
func withoutGit(env []string) []string {
	var out []string
	for _, v := range env {
		switch name, _, _ := strings.Cut(v, "="); name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_NAMESPACE",
			"GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CEILING_DIRECTORIES":
		default:
			out = append(out, v)
		}
	}
	return out
}

// clip bounds text that others wrote.
func clip(text string) string {
	const most = 2000
	if len(text) <= most {
		return text
	}
	return "…" + strings.ToValidUTF8(text[len(text)-most:], "")
}
