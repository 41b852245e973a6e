package subject

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// list names the files of a folder that belong to it: those that git knows or would add, so nothing that a .gitignore
// names. git is asked outside of a repository as well, as it is the one that knows the rules.
func (p *Preparer) list(ctx context.Context, dir string) ([]string, error) {
	args := []string{"ls-files", "-z", "--others", "--exclude-standard"}
	if p.tracked(ctx, dir) {
		args = append(args, "--cached")
	} else {
		empty, err := p.emptyRepository(ctx)
		if err != nil {
			return nil, err
		}
		args = append([]string{"--git-dir=" + empty, "--work-tree=."}, args...)
	}
	out, err := p.git(ctx, dir, args...)
	if err != nil {
		return nil, fmt.Errorf("list the files of %s: %w", dir, err)
	}
	var names []string
	for name := range strings.SplitSeq(out, "\x00") {
		more, err := p.listOne(ctx, dir, name)
		if err != nil {
			return nil, err
		}
		names = append(names, more...)
	}
	slices.Sort(names) // a file in conflict is listed several times
	return slices.Compact(names), nil
}

// listOne gives the file, or those of a repository within the folder: git lists only its name.
func (p *Preparer) listOne(ctx context.Context, dir, name string) ([]string, error) {
	path := filepath.Join(dir, name)
	if name == "" || !filepath.IsLocal(name) || p.excluded(path) {
		return nil, nil
	}
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil, nil // deleted, and git still knows it
	case info.Mode().IsRegular() || info.Mode()&fs.ModeSymlink != 0:
		return []string{filepath.Clean(name)}, nil
	case !info.IsDir():
		return nil, nil
	}
	inner, err := p.list(ctx, path)
	for i := range inner {
		inner[i] = filepath.Join(name, inner[i])
	}
	return inner, err
}

// excluded reports whether a path is left out of copies: the cache is, wherever it is.
func (p *Preparer) excluded(path string) bool {
	return slices.ContainsFunc(append([]string{p.o.Cache}, p.o.Exclude...), func(dir string) bool {
		rel, err := filepath.Rel(dir, path)
		return err == nil && dir != "" && filepath.IsLocal(rel)
	})
}

// tracked reports whether a folder belongs to a git repository that does not ignore it.
func (p *Preparer) tracked(ctx context.Context, dir string) bool {
	inside, err := p.git(ctx, dir, "rev-parse", "--is-inside-work-tree")
	if err != nil || strings.TrimSpace(inside) != "true" {
		return false
	}
	_, err = p.git(ctx, dir, "check-ignore", "--quiet", ".")
	return err != nil
}

// emptyRepository is one to ask git in about folders that belong to none.
func (p *Preparer) emptyRepository(ctx context.Context) (string, error) {
	path := filepath.Join(p.o.Cache, "empty.git")
	unlock, err := p.lock(ctx, path)
	if err != nil {
		return "", err
	}
	defer unlock()
	if _, err := os.Stat(filepath.Join(path, "HEAD")); err == nil {
		return path, nil
	}
	_, err = p.git(ctx, p.o.Cache, "init", "--quiet", "--bare", "--template=", path)
	return path, err
}
