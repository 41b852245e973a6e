package trial

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/failrate/failrate/harness/trial/tree"
)

// scratch is the temporary folder of one attempt.
type scratch struct {
	dir  string
	bare bool // the artifacts folder was found as it was made
}

func (s scratch) temp() string      { return filepath.Join(s.dir, "tmp") }       // the subject's $TMPDIR
func (s scratch) artifacts() string { return filepath.Join(s.dir, "artifacts") } // its $FAILRATE_ARTIFACTS
func (s scratch) tree() string      { return filepath.Join(s.dir, "tree") }      // its copy of the tree

// scratchPool makes scratch folders. Making and removing a folder costs as much as starting a process, so those that
// an attempt left as it found them are used again.
type scratchPool struct {
	mu    sync.Mutex
	made  int
	clean []scratch
}

// take gives a scratch folder below parent with nothing in its parts.
func (p *scratchPool) take(parent string) (scratch, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last := len(p.clean) - 1; last >= 0 {
		s := p.clean[last]
		s.bare = false
		p.clean = p.clean[:last]
		return s, nil
	}
	p.made++
	s := scratch{dir: filepath.Join(parent, strconv.Itoa(p.made))}
	for _, d := range []string{s.dir, s.temp(), s.artifacts()} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return s, fmt.Errorf("make the scratch folder: %w", err)
		}
	}
	return s, nil
}

// give takes a scratch folder back. What resists being removed is removed, or reported, when the session ends.
func (p *scratchPool) give(s scratch) {
	if !s.bare || !holds(s.dir, 2) || !holds(s.temp(), 0) {
		_ = tree.RemoveAll(s.dir)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clean = append(p.clean, s)
}

// holds reports whether a path is a folder, and no link to one, that has the mode it was made with and so many entries.
// It asks the kernel directly: it is asked after every attempt, and os.File makes three times as many calls.
func holds(dir string, entries int) bool {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	var info unix.Stat_t
	if err := unix.Fstat(fd, &info); err != nil || info.Mode&0o7777 != 0o700 {
		return false
	}
	var buf [4096]byte
	n, err := unix.ReadDirent(fd, buf[:]) // far more than the names of an untouched folder need
	if err != nil {
		return false
	}
	_, count, _ := unix.ParseDirent(buf[:n], -1, nil)
	return count == entries
}

// keepArtifacts moves what the subject left in its artifacts folder to where it is kept, without what a reader must
// not meet: links that leave the folder, pipes, sockets and devices.
func (s *scratch) keepArtifacts(ctx context.Context, c *tree.Copier, to string) error {
	if s.bare = holds(s.artifacts(), 0); s.bare || to == "" {
		return nil
	}
	info, err := os.Lstat(s.artifacts())
	if err != nil || !info.IsDir() {
		return nil // the subject removed it or put something else in its place
	}
	if err := disarm(s.artifacts()); err != nil {
		return fmt.Errorf("$FAILRATE_ARTIFACTS: %w", err)
	}
	if holds(s.artifacts(), 0) {
		return nil
	}
	if os.Rename(s.artifacts(), to) == nil {
		return nil
	}
	if err := c.Folder(context.WithoutCancel(ctx), s.artifacts(), to); err != nil { // another file system
		return fmt.Errorf("$FAILRATE_ARTIFACTS: %w", err)
	}
	return nil
}
