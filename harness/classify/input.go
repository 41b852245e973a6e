package classify

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/failrate/failrate/harness/trial"
)

// Source opens one stream from its beginning; it may be opened several times. An error that is fs.ErrNotExist says that
// the stream was never written. A nil Source is the same.
type Source func() (io.ReadCloser, error)

// Input is what an attempt left to be read. It has no facts: those are in the observation.
type Input struct {
	Log     Source // the merged output
	Stdout  Source // stdout alone; nil means that results on stdout are read from Log
	Records Source // the records file
	Results fs.FS  // the collected result files, by the names that the observation lists; nil means none were kept
}

// OpenInput gives access to an attempt's files. A file may also be there compressed, with .gz after its name.
// Nothing is opened yet. What is opened later is a regular file at its own place: the subject could write there, so
// symbolic links, pipes and devices are refused.
func OpenInput(out trial.Output) Input {
	in := Input{Log: fileSource(out.Log), Stdout: fileSource(out.Stdout), Records: fileSource(out.Records)}
	if out.Results != "" {
		in.Results = resultFolder(out.Results)
	}
	return in
}

func fileSource(path string) Source {
	if path == "" {
		return nil
	}
	return func() (io.ReadCloser, error) { return openFile(path) }
}

// resultFolder is a folder of result files, which are read through links nowhere.
type resultFolder string

// Open opens a result file by its name relative to the folder.
func (f resultFolder) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	root, err := os.OpenRoot(string(f))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return openIn(root, name)
}

// openFile opens the file at path.
func openFile(path string) (fs.File, error) {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return openIn(root, filepath.Base(path))
}

// openIn opens a regular file in root, or the same file compressed.
func openIn(root *os.Root, name string) (fs.File, error) {
	f, err := openRegular(root, name)
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	zipped, zerr := openRegular(root, name+".gz")
	if zerr != nil {
		return nil, err
	}
	plain, zerr := gzip.NewReader(zipped)
	if zerr != nil {
		zipped.Close()
		return nil, fmt.Errorf("read %q: %w", name+".gz", zerr)
	}
	return gzipFile{plain, zipped}, nil
}

// openRegular opens without waiting for the other end of a pipe and without following a last link.
func openRegular(root *os.Root, name string) (fs.File, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("read %q: it is no regular file (%v)", name, info.Mode().Type())
	}
	return root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// gzipFile reads a compressed file.
type gzipFile struct {
	*gzip.Reader
	file fs.File
}

// Stat describes the compressed file.
func (g gzipFile) Stat() (fs.FileInfo, error) { return g.file.Stat() }

// Close closes both.
func (g gzipFile) Close() error { return errors.Join(g.Reader.Close(), g.file.Close()) }

// absent reports whether opening failed because the stream was never written.
func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// open opens a source; a nil one is absent.
func (s Source) open() (io.ReadCloser, error) {
	if s == nil {
		return nil, fs.ErrNotExist
	}
	return s()
}

// fileIn opens a result file by the name that the observation has for it.
func fileIn(in Input, name string) Source {
	if in.Results == nil {
		return nil
	}
	return func() (io.ReadCloser, error) { return in.Results.Open(name) }
}
