package subject

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/failrate/failrate/harness/trial/tree"
)

// carryOut makes the tree of a recipe, or finds it in the cache.
func (p *Preparer) carryOut(ctx context.Context, r recipe) (out Prepared, err error) {
	log := filepath.Join(p.o.Cache, "logs", r.key+".log")
	unlock, err := p.lock(ctx, filepath.Join(p.o.Cache, "trees", r.key))
	if err != nil {
		return out, err
	}
	defer unlock()
	if err := os.MkdirAll(filepath.Dir(log), 0o700); err != nil {
		return out, err
	}
	switch {
	case r.source.inPlace && len(p.o.Study.Subject.Compile) > 0:
		out, err = p.compiled(ctx, r, log)
	case r.source.inPlace:
		out, err = p.inPlace(ctx, r, log)
	default:
		out, err = p.cached(ctx, r, log)
	}
	if _, serr := os.Stat(log); serr == nil {
		out.Log = log
	}
	return out, err
}

// cached makes a tree in its place in the cache, or finds it there. It is made where it stays, as a set-up may write
// the place's name into it; the record that comes last is what tells a tree from a torso.
func (p *Preparer) cached(ctx context.Context, r recipe, log string) (Prepared, error) {
	dir := filepath.Join(p.o.Cache, "trees", r.key)
	result := filepath.Join(dir, "tree")
	if d, ok := readDone(dir); ok && !p.o.Fresh && p.intact(ctx, r, result, d) {
		return Prepared{Dir: result, Digest: d.Digest, Facts: d.Facts}, nil
	}
	p.say("preparing %s in %s", r.variant.Name, result)
	if err := errors.Join(tree.RemoveAll(dir), removeFile(log), os.MkdirAll(dir, 0o700)); err != nil {
		return Prepared{}, err
	}
	if err := p.make(ctx, r, dir, log); err != nil {
		return Prepared{}, err
	}
	out, err := p.finish(ctx, r, result)
	if err != nil {
		return out, err
	}
	return out, writeDone(dir, done{Digest: out.Digest, Facts: out.Facts})
}

// intact reports whether a tree that nobody should have written to is still what it was. Native trials write to theirs.
func (p *Preparer) intact(ctx context.Context, r recipe, dir string, d done) bool {
	if r.native {
		_, err := os.Stat(dir)
		return err == nil
	}
	digest, err := tree.Digest(ctx, dir)
	return err == nil && digest == d.Digest
}

// make makes dir/tree: the source with its changes, or what is compiled from it; then the set-up.
func (p *Preparer) make(ctx context.Context, r recipe, dir, log string) error {
	result := filepath.Join(dir, "tree")
	source := result
	if len(p.o.Study.Subject.Compile) > 0 {
		source = filepath.Join(dir, "source")
		if err := os.Mkdir(result, 0o755); err != nil { //nolint:gosec // below a private folder
			return err
		}
	}
	if err := p.put(ctx, r.source, source); err != nil {
		return err
	}
	if err := p.change(ctx, r.variant, source, log); err != nil {
		return err
	}
	if source != result {
		if err := p.compile(ctx, r, source, result, log); err != nil {
			return err
		}
		if err := tree.RemoveAll(source); err != nil {
			return err
		}
	}
	return p.setUp(ctx, r, result, log)
}

// compiled compiles a folder that is used in place, each time: what the command reads may be anywhere, such as in a
// module's other folders, so only the command itself knows whether there is something to do.
func (p *Preparer) compiled(ctx context.Context, r recipe, log string) (Prepared, error) {
	result := filepath.Join(p.o.Session.Folder(), "subject-"+r.key)
	p.say("compiling for %s/%s", r.target.OS, r.target.Arch)
	if err := errors.Join(tree.RemoveAll(result), removeFile(log), os.Mkdir(result, 0o755)); err != nil { //nolint:gosec // below a private folder
		return Prepared{}, err
	}
	if err := p.compile(ctx, r, r.source.dir, result, log); err != nil {
		return Prepared{}, err
	}
	if err := p.setUp(ctx, r, result, log); err != nil {
		return Prepared{}, err
	}
	return p.finish(ctx, r, result)
}

// inPlace runs the set-up in the subject's own folder, each time.
func (p *Preparer) inPlace(ctx context.Context, r recipe, log string) (Prepared, error) {
	out := Prepared{Dir: r.source.dir, Facts: map[string]string{}}
	if err := errors.Join(removeFile(log), p.setUp(ctx, r, out.Dir, log)); err != nil {
		return out, err
	}
	out.Digest = p.state(ctx, out.Dir, out.Facts)
	return out, nil
}

// compile runs the compile command, which puts its result into a folder.
func (p *Preparer) compile(ctx context.Context, r recipe, source, result, log string) error {
	var args []string
	for _, a := range p.o.Study.Subject.Compile {
		args = append(args, strings.ReplaceAll(a, "{out}", result))
	}
	env := []string{
		"FAILRATE_OUT=" + result, "FAILRATE_OS=" + r.target.OS, "FAILRATE_ARCH=" + r.target.Arch,
		"GOOS=" + r.target.OS, "GOARCH=" + r.target.Arch, "CGO_ENABLED=0",
		"GOWORK=off", "GOFLAGS=", // the host's habits are not the study's
	}
	if err := p.run(ctx, command{step: "compile", args: args, dir: source, env: env, log: log}); err != nil {
		return err
	}
	if made, err := os.ReadDir(result); err != nil || len(made) == 0 {
		return errors.Join(fmt.Errorf("compile: %q put nothing into {out}", strings.Join(args, " ")), err)
	}
	return nil
}

// setUp runs the set-up's commands in the tree, with the environment that the trials get from the study. It is not told
// the variant's name, as variants may share the tree.
func (p *Preparer) setUp(ctx context.Context, r recipe, dir, log string) error {
	env := environment(p.o.Study.Subject, r.variant)
	for _, args := range r.setup {
		p.say("set-up of %s: %s", r.variant.Name, clip(strings.Join(args, " ")))
		if err := p.run(ctx, command{step: "set-up", args: args, dir: dir, env: env, log: log}); err != nil {
			return err
		}
	}
	return nil
}

// finish digests a tree and states its facts.
func (p *Preparer) finish(ctx context.Context, r recipe, dir string) (Prepared, error) {
	digest, err := tree.Digest(ctx, dir)
	out := Prepared{Dir: dir, Digest: digest, Facts: map[string]string{"tree": digest}}
	if r.source.commit != "" {
		out.Facts["commit"] = r.source.commit
	}
	return out, err
}

func removeFile(path string) error {
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
