package subject

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/failrate/failrate/harness/trial/tree"
)

// make gives the recipe's tree: the one in the cache, or a new one.
func (p *Preparer) make(ctx context.Context, r recipe) (Prepared, error) {
	if !r.copies() {
		return p.inPlace(ctx, r)
	}
	inputs, err := p.inputs(ctx, &r)
	if err != nil {
		return Prepared{}, err
	}
	key, err := r.key(inputs)
	if err != nil {
		return Prepared{}, err
	}
	home := filepath.Join(p.trees(), key)
	unlock, err := lock(home + ".lock")
	if err != nil {
		return Prepared{}, err
	}
	defer unlock()
	if digest, err := os.ReadFile(filepath.Join(home, "ready")); err == nil {
		return prepared(home, string(digest)), nil
	}
	digest, err := p.build(ctx, r, home)
	if err != nil {
		return Prepared{}, errors.Join(err, p.discard(home))
	}
	if err := os.WriteFile(filepath.Join(home, "ready"), []byte(digest), 0o600); err != nil {
		return Prepared{}, err
	}
	return prepared(home, digest), nil
}

func prepared(home, digest string) Prepared {
	return Prepared{Dir: filepath.Join(home, "tree"), Digest: digest, Facts: map[string]string{"tree": digest}}
}

// inPlace is a folder that nothing changes. It is not digested, as it may be large and is the user's own: its commit
// says what it was.
func (p *Preparer) inPlace(ctx context.Context, r recipe) (Prepared, error) {
	out := Prepared{Dir: r.study.Subject.Dir, Facts: map[string]string{}}
	if _, err := os.Stat(out.Dir); err != nil {
		return out, err
	}
	if commit, err := p.git(ctx, out.Dir, "rev-parse", "--verify", "--quiet", "HEAD"); err == nil {
		out.Facts["commit"] = commit
		if changed, err := p.git(ctx, out.Dir, "status", "--porcelain", "--untracked-files=no"); err == nil && changed != "" {
			out.Facts["changed"] = "true"
		}
	}
	return out, nil
}

// inputs identifies the sources: the commit of a git subject, the digest of a folder.
func (p *Preparer) inputs(ctx context.Context, r *recipe) (string, error) {
	if r.study.Subject.Git != nil {
		commit, err := p.resolve(ctx, *r)
		r.commit = commit
		return "git", err
	}
	return tree.Digest(ctx, r.study.Subject.Dir)
}

// build makes the tree: sources, patches, files, compiling, set-up.
func (p *Preparer) build(ctx context.Context, r recipe, home string) (string, error) {
	if err := p.discard(home); err != nil {
		return "", err
	}
	if err := os.MkdirAll(home, 0o700); err != nil {
		return "", err
	}
	p.o.Log("preparing %s for %s/%s", r.variant.Name, r.target.OS, r.target.Arch)
	dir := filepath.Join(home, "tree")
	source := r.study.Subject.Dir
	if r.sources() {
		source = dir
		if len(r.study.Subject.Compile) > 0 {
			source = filepath.Join(home, "source")
		}
		if err := p.sources(ctx, r, source); err != nil {
			return "", err
		}
	}
	if len(r.study.Subject.Compile) > 0 {
		if err := p.compile(ctx, r, source, dir); err != nil {
			return "", err
		}
	}
	if err := p.runAll(ctx, "set-up", r.setup, dir, r.env()); err != nil {
		return "", err
	}
	return tree.Digest(ctx, dir)
}

// sources puts the variant's sources into a folder that does not exist yet.
func (p *Preparer) sources(ctx context.Context, r recipe, dir string) error {
	var err error
	if r.study.Subject.Git != nil {
		err = p.checkout(ctx, r, dir)
	} else {
		err = p.copyFolder(ctx, r.study.Subject.Dir, dir)
	}
	if err != nil {
		return err
	}
	for _, patch := range r.variant.Patches {
		if err := p.apply(ctx, dir, patch); err != nil {
			return err
		}
	}
	return p.overlay(dir, r.variant.Files)
}

// compile runs the study's compiler on the host; what it leaves in {out} becomes the tree.
func (p *Preparer) compile(ctx context.Context, r recipe, source, out string) error {
	if err := os.MkdirAll(out, 0o700); err != nil {
		return err
	}
	var command []string
	for _, word := range r.study.Subject.Compile {
		command = append(command, strings.ReplaceAll(word, "{out}", out))
	}
	env := append(r.env(), "GOOS="+r.target.OS, "GOARCH="+r.target.Arch, "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=")
	return p.run(ctx, "compile", command, source, env)
}

// overlay lays files over the tree. A link in the tree is replaced and never followed out of it.
func (p *Preparer) overlay(dir string, files map[string]string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for name, from := range files {
		if err := layFile(root, name, from); err != nil {
			return fmt.Errorf("lay %q over the tree: %w", name, err)
		}
	}
	return nil
}

func layFile(root *os.Root, name, from string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if err := root.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return root.WriteFile(name, text, info.Mode().Perm())
}

// lock takes a lock file, so that two harnesses do not make the same tree at once.
func lock(path string) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() { f.Close() }, nil
}
