package subject

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/failrate/failrate/harness/study"
)

// change makes a variant's changes in its tree: patches in their order, then files. Neither can reach outside of the
// tree: git refuses such patches, and os.Root such files, also through links that a patch has made.
func (p *Preparer) change(ctx context.Context, v study.Variant, dir, log string) error {
	for _, patch := range v.Patches {
		args := []string{"git", "apply", "--whitespace=nowarn", "--", patch}
		if err := p.run(ctx, command{step: "patch", args: args, dir: dir, env: alone(filepath.Dir(dir)), log: log}); err != nil {
			return err
		}
	}
	if len(v.Files) == 0 {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, name := range slices.Sorted(maps.Keys(v.Files)) {
		if err := lay(root, filepath.FromSlash(name), v.Files[name]); err != nil {
			return fmt.Errorf("lay a file over %s: %w", name, err)
		}
	}
	return nil
}

// lay puts a file in place of whatever bears its name. A link is replaced and not followed.
func lay(root *os.Root, name, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if old, err := root.Lstat(name); err == nil {
		if old.IsDir() {
			return errors.New("a folder is in its place")
		}
		if err := root.Remove(name); err != nil {
			return err
		}
	}
	syscall.ForkLock.RLock() // a program that is being written cannot be run: see tree.Copier
	defer syscall.ForkLock.RUnlock()
	out, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, info.Mode().Perm()|0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
