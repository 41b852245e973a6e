package mask

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// File hides the secrets in a file, which is replaced by another one of the same mode when it holds any. A missing file,
// or what is no regular one, is left as it is. After an error the file may still hold secrets.
func (m *Mask) File(name string) (err error) {
	if m.Empty() {
		return nil
	}
	info, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return nil
	}
	if err != nil {
		return fmt.Errorf("hide secrets: %w", err)
	}
	in, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("hide secrets: %w", err)
	}
	defer in.Close()
	if found, err := m.in(in); err != nil || !found {
		return err
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("hide secrets: %w", err)
	}
	out, err := os.CreateTemp(filepath.Dir(name), ".hidden-*")
	if err != nil {
		return fmt.Errorf("hide secrets: %w", err)
	}
	_, err = io.Copy(out, m.Reader(in))
	if err = errors.Join(err, out.Chmod(info.Mode().Perm()), out.Close()); err == nil {
		err = os.Rename(out.Name(), name)
	}
	if err != nil {
		return fmt.Errorf("hide secrets: %w", errors.Join(err, os.Remove(out.Name())))
	}
	return nil
}

// in reports whether a stream holds a secret.
func (m *Mask) in(r io.Reader) (bool, error) {
	window := make([]byte, 0, chunk+m.longest)
	for {
		n, err := r.Read(window[len(window):cap(window)])
		window = window[:len(window)+n]
		if at, _ := m.first(window); at >= 0 {
			return true, nil
		}
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, fmt.Errorf("hide secrets: %w", err)
		}
		keep := min(len(window), m.longest-1)
		window = window[:copy(window[:keep], window[len(window)-keep:])]
	}
}

// Folder hides the secrets in every file below a folder. One that is missing is no error.
func (m *Mask) Folder(dir string) error {
	if m.Empty() || dir == "" {
		return nil
	}
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && name == dir {
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		return m.File(name)
	})
}
