package trial

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// The bounds of an attempt's result files.
const (
	MaxResultFiles = 1000
	MaxResultBytes = 256 << 20
)

// Collector copies an attempt's result files into a folder. Executors share it, so that all choose and bound alike.
// The names come from a tree that a hostile subject wrote, so none can leave the folder.
type Collector struct {
	glob  string
	into  string
	root  *os.Root
	names []string
	bytes int64
}

// NewCollector makes one for a glob with ** and {a,b}, relative to the tree, and a folder that exists.
func NewCollector(glob, into string) (*Collector, error) {
	glob = path.Clean(filepath.ToSlash(glob))
	if !doublestar.ValidatePattern(glob) {
		return nil, fmt.Errorf("result files: %q is not a valid glob", glob)
	}
	if path.IsAbs(glob) || strings.HasPrefix(glob+"/", "../") {
		return nil, fmt.Errorf("result files: the glob %q leaves the tree", glob)
	}
	return &Collector{glob: glob, into: into}, nil
}

// Wants reports whether a file of the tree, named with slashes and relative to it, is a result file.
func (c *Collector) Wants(name string) bool {
	return filepath.IsLocal(name) && doublestar.MatchUnvalidated(c.glob, name)
}

// Add copies one file of the given size. An error means that the results are not complete: the attempt's Fault.
func (c *Collector) Add(name string, size int64, from io.Reader) error {
	if len(c.names) >= MaxResultFiles {
		return fmt.Errorf("result files: more than %d match %q", MaxResultFiles, c.glob)
	}
	if size > MaxResultBytes-c.bytes {
		return fmt.Errorf("result files: more than %d bytes match %q", MaxResultBytes, c.glob)
	}
	if err := c.add(filepath.Clean(filepath.FromSlash(name)), size, from); err != nil {
		return fmt.Errorf("result file %q: %w", name, err)
	}
	c.bytes += size
	c.names = append(c.names, name)
	return nil
}

func (c *Collector) add(name string, size int64, from io.Reader) (err error) {
	if c.root == nil {
		if c.root, err = os.OpenRoot(c.into); err != nil {
			return err
		}
	}
	if err := c.root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	if err := c.root.RemoveAll(name); err != nil { // of an attempt that bore the same id and was lost
		return err
	}
	f, err := c.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	n, err := io.Copy(f, io.LimitReader(from, size))
	if err == nil && n < size {
		err = io.ErrUnexpectedEOF
	}
	return errors.Join(err, f.Close())
}

// Close gives the names of what was collected, sorted.
func (c *Collector) Close() ([]string, error) {
	slices.Sort(c.names)
	if c.root == nil {
		return c.names, nil
	}
	return c.names, c.root.Close()
}
