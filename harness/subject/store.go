package subject

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/failrate/failrate/harness/trial/tree"
)

// lock takes the lock of something in the cache for this program, against other programs and our own goroutines. It
// waits until ctx ends.
func (p *Preparer) lock(ctx context.Context, path string) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make the cache: %w", err)
	}
	f, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the cache: %w", err)
	}
	for said := false; ; {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close())
		}
		if !said {
			p.say("waiting for %s, which is being prepared elsewhere", path)
			said = true
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), f.Close())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// done is the record of a tree that was prepared to the end. It is written last: a tree without it is a torso.
type done struct {
	Format int               `json:"format"`
	Digest string            `json:"digest"`
	Facts  map[string]string `json:"facts"`
}

func doneFile(dir string) string { return filepath.Join(dir, "done.json") }

// readDone gives the record of a prepared tree, and whether there is one.
func readDone(dir string) (done, bool) {
	var d done
	text, err := os.ReadFile(doneFile(dir))
	if err != nil || json.Unmarshal(text, &d) != nil || d.Format != 1 {
		return d, false
	}
	return d, true
}

func writeDone(dir string, d done) error {
	d.Format = 1
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	part := doneFile(dir) + ".part"
	if err := os.WriteFile(part, append(text, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(part, doneFile(dir))
}

// Sweep removes from a cache what preparations that were cut short have left, and lists it. What is being prepared
// now stays. Folders of single runs are process.Sweep's.
func Sweep(ctx context.Context, cache string) (removed []string, err error) {
	names, err := filepath.Glob(filepath.Join(cache, "*", "*.lock"))
	var errs []error
	for _, name := range names {
		path := strings.TrimSuffix(name, ".lock")
		f, ferr := os.OpenFile(name, os.O_RDWR, 0o600)
		if ferr != nil {
			errs = append(errs, ferr)
			continue
		}
		if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			torso := path + ".part" // of a clone
			if filepath.Base(filepath.Dir(path)) == "trees" {
				torso = path
				if _, ok := readDone(path); ok {
					torso = ""
				}
			}
			if _, serr := os.Lstat(torso); torso != "" && serr == nil {
				errs = append(errs, tree.RemoveAll(torso))
				removed = append(removed, torso)
			}
		}
		errs = append(errs, f.Close())
		if ctx.Err() != nil {
			break
		}
	}
	return removed, errors.Join(append(errs, err, ctx.Err())...)
}
