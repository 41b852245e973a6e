// Package tree copies, digests and removes folders of files.
//
// It stands below packages trial and subject in the pipeline and knows of neither: it takes folders and gives
// folders and digests. It follows no link and copies no device, so a tree cannot reach beyond itself.
package tree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
)

// Copier copies files, by reference where the file system can. The zero value is ready, and learns from its first
// failure that the file system cannot. Safe for use by several goroutines.
type Copier struct{ cannot atomic.Bool }

// Folder copies a folder with everything in it to a place that does not exist yet: modes, times and links as they
// are, sockets, pipes and devices left out. What a failed copy has made stays for the caller to remove.
func (c *Copier) Folder(ctx context.Context, from, to string) error {
	type folder struct {
		path string
		mode fs.FileMode
	}
	var made []folder
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if !d.IsDir() {
			return c.File(path, filepath.Join(to, name))
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		made = append(made, folder{filepath.Join(to, name), info.Mode().Perm()})
		return os.Mkdir(filepath.Join(to, name), 0o700) // its own mode comes last: it may forbid writing
	})
	if err != nil {
		return fmt.Errorf("copy %s: %w", from, err)
	}
	for i := len(made) - 1; i >= 0; i-- {
		if err := os.Chmod(made[i].path, made[i].mode); err != nil {
			return fmt.Errorf("copy %s: %w", from, err)
		}
	}
	return nil
}

// File copies one file or link to a place that does not exist yet, in a folder that does. Sockets, pipes and devices
// are left out without an error.
func (c *Copier) File(from, to string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	switch {
	case info.Mode().IsRegular():
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	default:
		return nil
	}
	// A process that is being started would inherit the open copy for a moment, and could then not run it.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if !c.cannot.Load() {
		if clone(from, to) == nil {
			return adjust(to, info)
		}
		c.cannot.Store(true)
	}
	if err := copyBytes(from, to); err != nil {
		return err
	}
	return adjust(to, info)
}

func copyBytes(from, to string) error {
	in, err := os.OpenFile(from, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) //nolint:gosec // the caller's
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// adjust gives a copy its original's mode and time: make and its like go by the time.
func adjust(to string, info fs.FileInfo) error {
	if err := os.Chmod(to, info.Mode().Perm()); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}
