package agent

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// snapshot is the result files that were in the tree before an attempt. One that is still the same after it was made
// by somebody else: by an earlier attempt, or by the set-up. Nothing is deleted beforehand, as a careless glob may
// match files that the tree needs.
type snapshot map[string]stamp

// stamp tells a file that was written from one that was not. Any write changes the time of the last change, which no
// program can set.
type stamp struct {
	inode   uint64
	size    int64
	changed syscall.Timespec
}

func stampOf(info fs.FileInfo) stamp {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return stamp{size: info.Size()}
	}
	return stamp{inode: s.Ino, size: s.Size, changed: s.Ctim}
}

// takeSnapshot lists the files that match, and waits until the file system's clock has passed the youngest of them: one
// that is written twice within a tick would look the same.
func takeSnapshot(r Run) (snapshot, error) {
	s := snapshot{}
	var youngest time.Time
	err := eachResult(r, func(_ *os.Root, name string, info fs.FileInfo) error {
		st := stampOf(info)
		s[name] = st
		if t := time.Unix(st.changed.Unix()); t.After(youngest) {
			youngest = t
		}
		return nil
	})
	if age := time.Since(youngest); err == nil && age >= 0 && age < clockTick {
		time.Sleep(clockTick - age)
	}
	return s, err
}

// clockTick is as slow as a file system's clock ticks.
const clockTick = 10 * time.Millisecond

// eachResult calls f for every result file in the tree. Links to files are followed as far as they stay in the tree.
func eachResult(r Run, f func(root *os.Root, name string, info fs.FileInfo) error) error {
	if len(r.Results) == 0 {
		return nil
	}
	root, err := os.OpenRoot(r.Dir)
	if err != nil {
		return fmt.Errorf("result files: %w", err)
	}
	defer root.Close()
	seen := map[string]bool{}
	for _, pattern := range r.Results {
		for name := range Match(r.Dir, pattern) {
			info, err := root.Stat(name)
			if seen[name] || err != nil || !info.Mode().IsRegular() {
				continue
			}
			seen[name] = true
			if err := f(root, name, info); err != nil {
				return err
			}
		}
	}
	return nil
}
