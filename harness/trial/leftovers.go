package trial

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// plainFile requires that a file which the subject may have made is an ordinary one: a reader would hang on a pipe and
// follow a link anywhere. Anything else is removed.
func plainFile(what, path string) error {
	if path == "" {
		return nil
	}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && !info.Mode().IsRegular() {
		err = errors.Join(errors.New("not an ordinary file"), os.RemoveAll(path))
	}
	if err == nil && info.Mode().Perm() != 0o600 {
		err = os.Chmod(path, 0o600)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// disarm removes links that leave a folder, pipes, sockets and devices, and makes the rest readable for the owner.
func disarm(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		mode := d.Type()
		switch {
		case d.IsDir():
			return os.Chmod(path, 0o700) //nolint:gosec // a folder must be entered
		case mode.IsRegular():
			return os.Chmod(path, 0o600)
		case mode&fs.ModeSymlink != 0:
			name, err := filepath.Rel(dir, path)
			if err != nil {
				return err
			}
			if _, err := root.Stat(name); err == nil {
				return nil
			}
		}
		return os.Remove(path)
	})
}
