package tree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// Digest is the hex SHA-256 of a folder's content: the names, what may be executed, the bytes and the links' targets.
// Times, owners and other modes do not count, as they differ between machines that hold the same files; neither does
// anything called .git.
func Digest(ctx context.Context, dir string) (string, error) {
	sum := sha256.New()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error { // in the order of the names
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if d.Name() == ".git" && path != dir {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		return add(sum, filepath.ToSlash(name), path)
	})
	if err != nil {
		return "", fmt.Errorf("digest %s: %w", dir, err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// DigestFiles is the digest of some files and links of a folder, given by their names in it.
func DigestFiles(ctx context.Context, dir string, names []string) (string, error) {
	sum := sha256.New()
	names = slices.Sorted(slices.Values(names))
	for _, name := range slices.Compact(names) {
		err := ctx.Err()
		if err == nil {
			err = add(sum, filepath.ToSlash(name), filepath.Join(dir, name))
		}
		if err != nil {
			return "", fmt.Errorf("digest %s: %w", dir, err)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// add digests one entry. Each begins with its kind, and the lengths of its name and content: no two trees have the
// same bytes.
func add(sum hash.Hash, name, path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	switch mode := info.Mode(); {
	case mode.IsDir():
		fmt.Fprintf(sum, "folder %d %s\n", len(name), name)
	case mode&fs.ModeSymlink != 0:
		target, err := os.Readlink(path)
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "link %d %s %d %s\n", len(name), name, len(target), target)
	case mode.IsRegular():
		kind := "file"
		if mode&0o111 != 0 {
			kind = "program"
		}
		fmt.Fprintf(sum, "%s %d %s %d ", kind, len(name), name, info.Size())
		f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0) //nolint:gosec // the caller's
		if err != nil {
			return err
		}
		defer f.Close()
		n, err := io.Copy(sum, f)
		if err == nil && n != info.Size() {
			err = fmt.Errorf("%s changes while it is read", path)
		}
		return err
	}
	return nil
}
