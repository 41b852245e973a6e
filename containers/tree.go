package containers

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/failrate/failrate/containers/agent"
)

// eachEntry calls f for every folder, regular file and link below root in the order of their names, with the path
// relative to root and slashes. Sockets, pipes and devices are left out, and so is what tree.Digest leaves out: all
// that is called .git, of which a worktree has a file that means nothing inside a container.
func eachEntry(root string, f func(name string, info fs.FileInfo) error) error {
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, p)
		if err != nil || name == "." {
			return err
		}
		if d.Name() == ".git" {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch info.Mode().Type() {
		case 0, fs.ModeDir, fs.ModeSymlink:
			return f(filepath.ToSlash(name), info)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read tree %q: %w", root, err)
	}
	return nil
}

func fileDigest(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// tarWriter writes the files of an image. It keeps the first error.
type tarWriter struct {
	to       *tar.Writer
	uid, gid int
	err      error
}

// pipeTar gives a reader of the tar that write writes. Closing the reader ends the writing.
func pipeTar(write func(*tarWriter) error) io.ReadCloser {
	r, w := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		t := &tarWriter{to: tar.NewWriter(w)}
		err := write(t)
		if err == nil {
			err = t.err
		}
		if err == nil {
			err = t.to.Close()
		}
		w.CloseWithError(err)
	}()
	return &tarPipe{r, done}
}

type tarPipe struct {
	*io.PipeReader
	done chan struct{}
}

// Close waits until the writer has ended.
func (p *tarPipe) Close() error {
	err := p.PipeReader.Close()
	<-p.done
	return err
}

func (t *tarWriter) header(h *tar.Header) {
	if t.err == nil {
		h.Uid, h.Gid, h.Format = t.uid, t.gid, tar.FormatPAX
		t.err = t.to.WriteHeader(h)
	}
}

func (t *tarWriter) folder(name string, mode int64) {
	t.header(&tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: mode})
}

// program adds the agent and its folder, which every user may write to: the image's own user is anybody.
func (t *tarWriter) program(path string) {
	t.folder(agent.Folder[1:], 0o1777)
	info, err := os.Stat(path)
	if err != nil {
		t.err = err
		return
	}
	t.file(path, agent.Program[1:], 0o755, info)
}

func (t *tarWriter) file(from, name string, mode int64, info fs.FileInfo) {
	t.header(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode, Size: info.Size(), ModTime: info.ModTime()})
	if t.err != nil {
		return
	}
	f, err := os.Open(from)
	if err != nil {
		t.err = err
		return
	}
	defer f.Close()
	_, t.err = io.CopyN(t.to, f, info.Size())
}

// tree adds the subject's tree and the folder that it is in. An empty root gives an empty folder.
func (t *tarWriter) tree(root string) error {
	t.folder(agent.Tree[1:], 0o755)
	if root == "" || t.err != nil {
		return t.err
	}
	return eachEntry(root, func(name string, info fs.FileInfo) error {
		p, full, mode := path.Join(agent.Tree[1:], name), filepath.Join(root, name), int64(info.Mode().Perm())
		switch info.Mode().Type() {
		case 0:
			t.file(full, p, mode, info)
		case fs.ModeDir:
			t.header(&tar.Header{Typeflag: tar.TypeDir, Name: p + "/", Mode: mode, ModTime: info.ModTime()})
		case fs.ModeSymlink:
			to, err := os.Readlink(full)
			if err != nil {
				return err
			}
			t.header(&tar.Header{Typeflag: tar.TypeSymlink, Name: p, Linkname: to, Mode: mode, ModTime: info.ModTime()})
		}
		return t.err
	})
}
