package subject

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial/tree"
)

// source is where a tree's files come from: a commit of a clone, or a folder.
type source struct {
	mirror  *mirror // nil for a folder
	commit  string
	dir     string // absolute
	inPlace bool   // the folder itself is used, as no variant changes a file
}

// origin is what all of a study's sources share. It is looked up when it is first needed, and stays for the run: all
// variants start from the same files.
type origin struct {
	mu     sync.Mutex
	mirror *mirror
	names  []string // the files of a folder that is copied, relative to it
	digest string   // of those
}

// source finds out what a variant starts from.
func (p *Preparer) source(ctx context.Context, v study.Variant) (source, error) {
	s := p.o.Study.Subject
	if s.Git == nil {
		if v.Ref != "" {
			return source{}, fmt.Errorf("ref %q: the subject is a folder and not a git repository", v.Ref)
		}
		if info, err := os.Stat(s.Dir); err != nil || !info.IsDir() {
			return source{}, fmt.Errorf("the subject's folder %q is not there", s.Dir)
		}
		return source{dir: s.Dir, inPlace: !slices.ContainsFunc(p.everyVariant(), p.changesFiles)}, nil
	}
	p.origin.mu.Lock()
	defer p.origin.mu.Unlock()
	var err error
	if p.origin.mirror == nil {
		if p.origin.mirror, err = p.openMirror(ctx, s.Git.URL); err != nil {
			return source{}, err
		}
	}
	ref := v.Ref
	if ref == "" {
		ref = s.Git.Ref
	}
	commit, err := p.resolve(ctx, p.origin.mirror, ref)
	return source{mirror: p.origin.mirror, commit: commit}, err
}

// changesFiles reports whether a variant needs a tree of its own. All variants get one then: what is built might
// depend on where it is, and on files that git does not know.
func (p *Preparer) changesFiles(v study.Variant) bool {
	own := len(v.Patches) > 0 || len(v.Files) > 0 || v.Setup != nil
	return own || len(v.Env) > 0 && len(p.o.Study.Subject.Setup) > 0
}

// identify gives a text for the source's content, or for its place if it is used in place.
func (p *Preparer) identify(ctx context.Context, s source) (string, error) {
	switch {
	case s.mirror != nil:
		return "commit " + s.commit, nil
	case s.inPlace:
		return "folder " + s.dir, nil
	}
	_, digest, err := p.files(ctx, s.dir)
	return "files " + digest, err
}

// files lists and digests the files of the subject's folder.
func (p *Preparer) files(ctx context.Context, dir string) (names []string, digest string, err error) {
	o := &p.origin
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.digest == "" {
		if names, err = p.list(ctx, dir); err != nil {
			return nil, "", err
		}
		if digest, err = tree.DigestFiles(ctx, dir, names); err != nil {
			return nil, "", err
		}
		o.names, o.digest = names, digest
	}
	return o.names, o.digest, nil
}

// put makes a tree of the source in a place that does not exist yet.
func (p *Preparer) put(ctx context.Context, s source, to string) error {
	if s.mirror != nil {
		return p.checkOut(ctx, s.mirror, s.commit, to)
	}
	names, want, err := p.files(ctx, s.dir)
	if err != nil {
		return err
	}
	if err := p.copyFiles(ctx, s.dir, to, names); err != nil {
		return err
	}
	got, err := tree.DigestFiles(ctx, to, names)
	if err == nil && got != want {
		err = fmt.Errorf("the folder %s changes while it is copied: try again", s.dir)
	}
	return err
}

// copyFiles copies some files of a folder.
func (p *Preparer) copyFiles(ctx context.Context, from, to string, names []string) error {
	if err := os.MkdirAll(to, 0o755); err != nil { //nolint:gosec // a source tree, below a private folder
		return err
	}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		target := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil { //nolint:gosec // as above
			return err
		}
		if err := p.copier.File(filepath.Join(from, name), target); err != nil {
			return fmt.Errorf("copy the subject: %w", err)
		}
	}
	return nil
}
