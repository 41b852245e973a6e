package subject

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os/exec"
	"strings"

	"github.com/failrate/failrate/harness/trial/process"
)

// state notes the commit that a folder used in place is at, and digests how its files differ from it. Nothing is known
// of a folder that belongs to no repository: reading all of what may be somebody's home is not for us.
func (p *Preparer) state(ctx context.Context, dir string, facts map[string]string) (digest string) {
	if !p.tracked(ctx, dir) {
		return ""
	}
	commit, err := p.git(ctx, dir, "rev-parse", "--verify", "--quiet", "HEAD")
	if err != nil {
		return "" // nothing was committed yet
	}
	commit = strings.TrimSpace(commit)
	facts["commit"] = commit
	changes, err := p.git(ctx, dir, "status", "--porcelain", "--untracked-files=no", "--", ".")
	if err != nil {
		return ""
	}
	sum := sha256.New()
	sum.Write([]byte("commit " + commit + "\n"))
	if changes != "" {
		facts["changed"] = "true"
		c := exec.CommandContext(ctx, "git", append(plainGit(), "diff", "--no-ext-diff", "--no-textconv", "--no-color", "--binary", "HEAD", "--", ".")...)
		c.Dir, c.Env, c.Stdout = dir, process.Environ(p.o.Env, gitVariables...), sum
		if err := c.Run(); err != nil {
			return ""
		}
	}
	digest = hex.EncodeToString(sum.Sum(nil))
	facts["tree"] = digest
	return digest
}
