package trial

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/sys/unix"
)

// snapshot is the result files that were in a tree before an attempt. A file that is still the same after it was made
// by somebody else: by an earlier trial, or by the tree's author. Nothing is deleted beforehand, as a careless glob
// may match files that the tree needs.
type snapshot map[string]stamp

// stamp tells a file that was written from one that was not. Any write changes the time of the last change, which no
// program can set.
type stamp struct {
	device, inode uint64
	size          int64
	changed       unix.Timespec
}

func stampOf(info fs.FileInfo) stamp {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return stamp{size: info.Size()}
	}
	return stamp{device: uint64(s.Dev), inode: s.Ino, size: s.Size, changed: changeTime(s)} //nolint:unconvert // its width differs
}

// takeSnapshot lists the files that match, and waits until the file system's clock has passed the youngest of them:
// Linux stamps files with a clock that ticks every few milliseconds, and a file that is written twice within a tick
// would look the same.
func takeSnapshot(dir, glob string) (snapshot, error) {
	s := snapshot{}
	var youngest time.Time
	err := eachResult(dir, glob, func(_ *os.Root, name string, info fs.FileInfo) error {
		st := stampOf(info)
		s[name] = st
		if t := time.Unix(st.changed.Unix()); t.After(youngest) {
			youngest = t
		}
		return nil
	})
	for tries := 0; err == nil && tries < 50 && !fileClock().After(youngest); tries++ { // bounded: the clock may be set back
		_, _ = unix.Poll(nil, 1)
	}
	return s, err
}

// collectResults copies the files that match and were written since the snapshot.
func collectResults(dir string, before snapshot, glob, into string) (names []string, err error) {
	c, err := NewCollector(glob, into)
	if err != nil {
		return nil, err
	}
	err = eachResult(dir, glob, func(root *os.Root, name string, info fs.FileInfo) error {
		if was, ok := before[name]; ok && was == stampOf(info) {
			return nil
		}
		f, err := root.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		return c.Add(name, info.Size(), f)
	})
	names, cerr := c.Close()
	return names, errors.Join(err, cerr)
}

// eachResult calls f for every regular file of the tree that matches, in the order of the names. Links are followed as
// far as they stay in the tree.
func eachResult(dir, glob string, f func(root *os.Root, name string, info fs.FileInfo) error) error {
	c, err := NewCollector(glob, "")
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("result files: %w", err)
	}
	defer root.Close()
	names, err := doublestar.Glob(root.FS(), c.glob, doublestar.WithNoFollow())
	if err != nil {
		return fmt.Errorf("result files: %w", err)
	}
	for _, name := range names {
		info, err := root.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			continue // a link that leaves the tree or leads nowhere, a folder, a pipe
		}
		if err := f(root, name, info); err != nil {
			return err
		}
	}
	return nil
}
