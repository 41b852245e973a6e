package subject

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/failrate/failrate/harness/trial/tree"
)

// git runs git in a folder and gives what it prints, without the last newline.
func (p *Preparer) git(ctx context.Context, dir string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, "git", args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0", "LC_ALL=C", "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, lastLines(errs.Bytes(), 3))
	}
	return strings.TrimRight(out.String(), "\n"), nil
}

// mirror is the bare clone of the study's repository, made once.
func (p *Preparer) mirror(ctx context.Context) (string, error) {
	url := p.o.Study.Subject.Git.URL
	sum := sha256.Sum256([]byte(url))
	dir := filepath.Join(p.o.Cache, "git", hex.EncodeToString(sum[:])[:24]+".git")
	unlock, err := lock(dir + ".lock")
	if err != nil {
		return "", err
	}
	defer unlock()
	if _, err := os.Stat(filepath.Join(dir, "HEAD")); err == nil {
		return dir, nil
	}
	p.o.Log("cloning %s", url)
	temp := dir + ".new"
	if err := tree.RemoveAll(temp); err != nil {
		return "", err
	}
	if _, err := p.git(ctx, filepath.Dir(dir), "clone", "--quiet", "--mirror", "--", url, temp); err != nil {
		return "", err
	}
	return dir, os.Rename(temp, dir)
}

// resolve finds the variant's commit. A branch is brought up to date first; a ref that the clone lacks is fetched.
func (p *Preparer) resolve(ctx context.Context, r recipe) (string, error) {
	ref := r.study.Subject.Git.Ref
	if r.variant.Ref != "" {
		ref = r.variant.Ref
	}
	if ref == "" {
		ref = "HEAD"
	}
	dir, err := p.mirror(ctx)
	if err != nil {
		return "", err
	}
	fixed := isCommit(ref)
	if commit, err := p.git(ctx, dir, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}"); err == nil && fixed {
		return commit, nil
	}
	_, fetchErr := p.git(ctx, dir, "fetch", "--quiet", "--prune", "origin")
	commit, err := p.git(ctx, dir, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	if err != nil {
		return "", errors.Join(fmt.Errorf("ref %q is not in %s", ref, r.study.Subject.Git.URL), fetchErr)
	}
	if fetchErr != nil {
		p.o.Log("using %s as it was cloned: %v", ref, fetchErr)
	}
	return commit, nil
}

// isCommit reports whether a ref is a whole commit name, which never moves.
func isCommit(ref string) bool {
	if len(ref) != 40 && len(ref) != 64 {
		return false
	}
	_, err := hex.DecodeString(ref)
	return err == nil
}

// checkout makes a worktree of the commit.
func (p *Preparer) checkout(ctx context.Context, r recipe, dir string) error {
	mirror, err := p.mirror(ctx)
	if err != nil {
		return err
	}
	unlock, err := lock(mirror + ".lock")
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := p.git(ctx, mirror, "worktree", "prune"); err != nil {
		return err
	}
	_, err = p.git(ctx, mirror, "worktree", "add", "--quiet", "--force", "--detach", dir, r.commit)
	return err
}

// apply applies one patch.
func (p *Preparer) apply(ctx context.Context, dir, patch string) error {
	if _, err := p.git(ctx, dir, "apply", "--whitespace=nowarn", "--", patch); err != nil {
		return fmt.Errorf("patch %s does not apply: %w", filepath.Base(patch), err)
	}
	return nil
}

// copyFolder copies a folder as git sees it: without what .gitignore names. A folder outside any repository is copied
// whole.
func (p *Preparer) copyFolder(ctx context.Context, from, to string) error {
	names, err := listed(ctx, from)
	if err != nil {
		return p.copier.Folder(ctx, from, to)
	}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		target := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		err := p.copier.File(filepath.Join(from, name), target)
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted and not yet committed
		}
		if err != nil {
			return err
		}
	}
	return os.MkdirAll(to, 0o755)
}

// listed gives the files of a folder that git tracks or does not ignore, relative to it.
func listed(ctx context.Context, dir string) ([]string, error) {
	c := exec.CommandContext(ctx, "git", "ls-files", "--cached", "--others", "--exclude-standard", "-z")
	c.Dir = dir
	out, err := c.Output()
	if err != nil {
		return nil, err
	}
	var names []string
	for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		if name != "" && filepath.IsLocal(name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// discard removes a tree from the cache, and git's note of it.
func (p *Preparer) discard(home string) error { return tree.RemoveAll(home) }
