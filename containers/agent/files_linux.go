package agent

import (
	"archive/tar"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// sendFiles sends the attempt's records, artifacts and result files as a tar in frames; none at all when there are none.
func sendFiles(to *Writer, r Run, before snapshot) error {
	s := &sender{left: r.Files, tar: tar.NewWriter(frameTar{to})}
	if r.Records {
		if err := s.path(recordsFile, RecordsName); err != nil {
			return err
		}
	}
	if r.Artifacts {
		for name := range Match(artifactsFolder, "**") {
			info, err := os.Lstat(artifactsFolder + "/" + name)
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			if err := s.path(artifactsFolder+"/"+name, ArtifactsName+"/"+name); err != nil {
				return err
			}
		}
	}
	err := eachResult(r, func(root *os.Root, name string, info fs.FileInfo) error {
		if was, ok := before[name]; ok && was == stampOf(info) {
			return nil
		}
		f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		return s.file(f, err, ResultsName+"/"+name)
	})
	if err != nil || s.sent == 0 {
		return err
	}
	return s.tar.Close()
}

// sender sends files while they fit.
type sender struct {
	tar  *tar.Writer
	left int64
	sent int
}

// path sends the file at a path. Links are not followed.
func (s *sender) path(path, name string) error {
	_ = os.Chmod(path, 0o600) // its owner may have taken the right to read it
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	return s.file(f, err, name)
}

// file sends one file that was opened, or was not: a missing one is none.
func (s *sender) file(f *os.File, err error, name string) error {
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("collect files: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("collect files: %w", err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("collect files: %q is not an ordinary file", name)
	}
	if s.left -= info.Size(); s.left < 0 {
		return fmt.Errorf("collect files: %q makes them larger than the limit", name)
	}
	s.sent++
	if err := s.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: info.Size(), Mode: 0o600}); err != nil {
		return fmt.Errorf("collect files: %w", err)
	}
	if _, err := io.CopyN(s.tar, f, info.Size()); err != nil {
		return fmt.Errorf("collect files: %q: %w", name, err)
	}
	return nil
}

// frameTar sends what a tar writer writes as frames.
type frameTar struct{ to *Writer }

func (f frameTar) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		n := min(len(rest), 32<<10)
		if err := f.to.Frame(KindFiles, rest[:n]); err != nil {
			return 0, err
		}
		rest = rest[n:]
	}
	return len(b), nil
}
