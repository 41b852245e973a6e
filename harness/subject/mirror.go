package subject

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/failrate/failrate/harness/trial/tree"
)

// mirror is the cached clone of a repository, with all its branches and tags. The origin's lock guards it.
type mirror struct {
	url string
	dir string

	fetched bool              // in this run
	commits map[string]string // by ref, so that all variants of a run see the same
}

// openMirror clones a repository into the cache, once.
func (p *Preparer) openMirror(ctx context.Context, url string) (*mirror, error) {
	sum := sha256.Sum256([]byte(url))
	m := &mirror{url: url, dir: filepath.Join(p.o.Cache, "clones", hex.EncodeToString(sum[:10])), commits: map[string]string{}}
	unlock, err := p.lock(ctx, m.dir)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := removeFile(m.dir + ".log"); err != nil {
		return nil, err
	}
	if _, err := os.Stat(m.dir); err == nil {
		return m, nil
	}
	p.say("cloning %s", url)
	part := m.dir + ".part" // of a clone that was cut short, as we hold the lock
	if err := tree.RemoveAll(part); err != nil {
		return nil, err
	}
	err = p.run(ctx, command{
		step: "clone", args: append(append([]string{"git"}, plainGit()...), "clone", "--quiet", "--bare", "--template=", "--", url, part),
		dir: filepath.Dir(m.dir), env: gitVariables, log: m.dir + ".log",
	})
	if err != nil {
		return nil, errors.Join(err, tree.RemoveAll(part))
	}
	m.fetched = true
	return m, os.Rename(part, m.dir)
}

// resolve finds the commit that a ref names, fetching if the clone lacks it. An empty ref is the remote's HEAD at the
// time of the clone.
func (p *Preparer) resolve(ctx context.Context, m *mirror, ref string) (string, error) {
	if c, ok := m.commits[ref]; ok {
		return c, nil
	}
	if p.o.Update && !m.fetched {
		if err := p.fetch(ctx, m, ""); err != nil {
			return "", err
		}
	}
	commit, err := p.revision(ctx, m, ref)
	if err != nil && !m.fetched {
		if err := p.fetch(ctx, m, ""); err != nil {
			return "", err
		}
		commit, err = p.revision(ctx, m, ref)
	}
	if err != nil { // neither a branch nor a tag: a commit, or a ref of another kind such as refs/pull/1/head
		if ferr := p.fetch(ctx, m, ref); ferr != nil {
			return "", fmt.Errorf("%s has no ref %q: %w", m.url, ref, ferr)
		}
		commit, err = p.revision(ctx, m, keptRef(ref))
	}
	if err != nil {
		return "", fmt.Errorf("%s has no ref %q: %w", m.url, ref, err)
	}
	m.commits[ref] = commit
	return commit, nil
}

// revision is the commit of a ref that the clone has.
func (p *Preparer) revision(ctx context.Context, m *mirror, ref string) (string, error) {
	if ref == "" {
		ref = "HEAD"
	}
	out, err := p.git(ctx, m.dir, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	return strings.TrimSpace(out), err
}

// fetch brings the clone's branches and tags up to date, or brings one ref of another kind.
func (p *Preparer) fetch(ctx context.Context, m *mirror, ref string) error {
	unlock, err := p.lock(ctx, m.dir)
	if err != nil {
		return err
	}
	defer unlock()
	what := []string{"+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"}
	if ref != "" {
		if strings.HasPrefix(ref, "+") || strings.HasPrefix(ref, "^") || strings.ContainsAny(ref, ":*") {
			return fmt.Errorf("ref %q is not a name", ref)
		}
		what = []string{"+" + ref + ":" + keptRef(ref)}
	} else {
		m.fetched = true
	}
	p.say("fetching %s", strings.TrimSpace(m.url+" "+ref))
	return p.run(ctx, command{
		step: "fetch", dir: m.dir, env: gitVariables, log: m.dir + ".log",
		args: append(append(append([]string{"git"}, plainGit()...), "fetch", "--quiet", "--no-write-fetch-head", "--", m.url), what...),
	})
}

// keptRef is where a fetched ref of another kind is kept in the clone.
func keptRef(ref string) string {
	sum := sha256.Sum256([]byte(ref))
	return "refs/failrate/" + hex.EncodeToString(sum[:10])
}

// checkOut makes a worktree of a commit.
func (p *Preparer) checkOut(ctx context.Context, m *mirror, commit, to string) error {
	unlock, err := p.lock(ctx, m.dir)
	if err != nil {
		return err
	}
	defer unlock()
	return p.run(ctx, command{
		step: "check out", dir: m.dir, env: gitVariables, log: m.dir + ".log",
		args: append(append([]string{"git"}, plainGit()...), "worktree", "add", "--quiet", "--force", "--force", "--detach", "--", to, commit),
	})
}
