package tree

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// RemoveAll is os.RemoveAll for folders that a hostile or careless program filled: folders that the owner may not
// write to (as Go's module cache makes them) go as well. No link is followed.
func RemoveAll(path string) error {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); errors.Is(err, unix.ENOENT) {
		return nil // mostly, and then this is all
	}
	if err := os.RemoveAll(path); err == nil {
		return nil
	}
	_ = filepath.WalkDir(path, func(p string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() { // called before the folder is read, so what is in it is found
			_ = os.Chmod(p, 0o700) //nolint:gosec // a folder must be entered, and is about to go
		}
		return nil
	})
	return os.RemoveAll(path)
}
