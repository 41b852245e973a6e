package containers

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/failrate/failrate/containers/agent"
	"github.com/failrate/failrate/harness/trial"
)

// maxEntries bounds the number of files that are taken from one attempt.
const maxEntries = 20_000

// intake unpacks the tar of an attempt's files while it comes in. Names, kinds, sizes and numbers are a hostile
// subject's to choose: nothing but regular files is made, nothing outside the places that the request names, and
// nothing beyond the bounds.
type intake struct {
	request trial.Request
	left    int64
	pipe    *io.PipeWriter
	done    chan struct{}
	names   []string // of result files
	err     error
}

func newIntake(r trial.Request, maximum int64) *intake {
	out, in := io.Pipe()
	t := &intake{request: r, left: maximum, pipe: in, done: make(chan struct{})}
	go func() {
		defer close(t.done)
		t.err = t.unpack(tar.NewReader(out))
		if t.err == nil {
			_, t.err = io.Copy(io.Discard, out) // the padding after the end
		}
		out.CloseWithError(t.err)
	}()
	return t
}

// errRefused says that an attempt's files are not taken; close says why.
var errRefused = errors.New("the trial's files are refused")

// write takes a piece of the tar.
func (t *intake) write(piece []byte) error {
	if _, err := t.pipe.Write(piece); err != nil {
		return errRefused
	}
	return nil
}

// close waits for the end of the unpacking, and gives the names of the result files.
func (t *intake) close() ([]string, error) {
	t.pipe.Close()
	<-t.done
	if t.err != nil {
		return t.names, fmt.Errorf("take the trial's files: %w", t.err)
	}
	return t.names, nil
}

func (t *intake) unpack(from *tar.Reader) (err error) {
	var results *trial.Collector
	if t.request.Results != "" {
		if results, err = trial.NewCollector(t.request.Results, t.request.Out.Results); err != nil {
			return err
		}
		defer func() {
			names, cerr := results.Close()
			t.names, err = names, errors.Join(err, cerr)
		}()
	}
	var artifacts *os.Root
	defer func() {
		if artifacts != nil {
			artifacts.Close()
		}
	}()
	for n := 0; ; n++ {
		h, err := from.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if t.left -= h.Size; h.Typeflag != tar.TypeReg || h.Size < 0 || t.left < 0 || n >= maxEntries {
			return fmt.Errorf("%.100q is not a regular file, or beyond the bounds", h.Name)
		}
		kind, name, _ := strings.Cut(h.Name, "/")
		switch {
		case h.Name == agent.RecordsName:
			err = t.records(from)
		case kind == agent.ArtifactsName:
			artifacts, err = t.artifact(artifacts, name, from)
		case kind == agent.ResultsName && results != nil:
			if results.Wants(name) {
				err = results.Add(name, h.Size, from)
			}
		default:
			err = fmt.Errorf("%.100q has no place", h.Name)
		}
		if err != nil {
			return err
		}
	}
}

func (t *intake) records(from io.Reader) error {
	if t.request.Out.Records == "" {
		return nil
	}
	f, err := os.OpenFile(t.request.Out.Records, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	return errors.Join(err, f.Close())
}

// artifact makes one file below the artifacts folder, which is itself made for the first one.
func (t *intake) artifact(root *os.Root, name string, from io.Reader) (*os.Root, error) {
	dir := t.request.Out.Artifacts
	if dir == "" {
		return root, nil
	}
	name = filepath.FromSlash(path.Clean(name))
	if !filepath.IsLocal(name) {
		return root, fmt.Errorf("%.100q leaves the artifacts folder", name)
	}
	if root == nil {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return nil, err
		}
		var err error
		if root, err = os.OpenRoot(dir); err != nil {
			return nil, err
		}
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return root, err
	}
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return root, err
	}
	_, err = io.Copy(f, from)
	return root, errors.Join(err, f.Close())
}
