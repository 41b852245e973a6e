package process

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/failrate/failrate/harness/trial/tree"
)

// Swept says what dead sessions had left. The lists are in no harness's way any more.
type Swept struct {
	Sessions  []string // ids of the sessions whose harness was gone
	Processes []string // that were ended, as "name (pid)"
	Folders   []string // that were removed
}

// Sweep ends and removes what killed harnesses left: for each session file in the folder (empty means
// DefaultSessions) whose lock can be taken, the processes that bear the session's marker and everything below them,
// and the session's folder. What a live harness started is left alone. An error names what could not be removed; the
// session file stays then, for the next time.
func Sweep(sessions string) (Swept, error) {
	if sessions == "" {
		sessions = DefaultSessions()
	}
	var swept Swept
	names, err := filepath.Glob(filepath.Join(escape(sessions), "*.json*"))
	if err != nil || len(names) == 0 {
		return swept, err
	}
	if err := ownFolder(sessions); err != nil { // else anybody could have us remove folders of ours
		return swept, fmt.Errorf("sweep: %w", err)
	}
	var errs []error
	for _, name := range names {
		if strings.HasSuffix(name, unnamed) {
			forget(name)
		} else if err := swept.sweep(name); err != nil {
			errs = append(errs, fmt.Errorf("sweep %s: %w", name, err))
		}
	}
	return swept, errors.Join(errs...)
}

// escape keeps a folder's own name from being taken for a pattern.
func escape(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// forget removes the file of a session that did not get as far as bearing its name, let alone starting anything. One
// that is just being made is young.
func forget(name string) {
	if info, err := os.Lstat(name); err == nil && time.Since(info.ModTime()) > time.Minute {
		_ = os.Remove(name) // else it stays for the next time
	}
}

func (w *Swept) sweep(name string) error {
	f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil // its harness has just ended
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil // alive
		}
		return fmt.Errorf("lock: %w", err)
	}
	if _, err := os.Lstat(name); errors.Is(err, os.ErrNotExist) {
		return nil // another Sweep was faster
	}
	var r record
	text, err := io.ReadAll(io.LimitReader(f, 64<<10))
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		return err
	}
	if r.Format != 1 || r.ID == "" || filepath.Base(r.Folder) != folderPrefix+r.ID || !filepath.IsAbs(r.Folder) {
		return fmt.Errorf("not a session file that this version can read")
	}
	w.Sessions = append(w.Sessions, r.ID)
	if err := w.end(r.ID); err != nil {
		return err
	}
	if _, err := os.Lstat(r.Folder); err == nil {
		if err := tree.RemoveAll(r.Folder); err != nil {
			return err
		}
		w.Folders = append(w.Folders, r.Folder)
	}
	return os.Remove(name)
}

// end kills until no process of the session is found: a process may be starting another while we look.
func (w *Swept) end(id string) error {
	seen := map[int]bool{}
	for begun := time.Now(); ; {
		found := ofDeadSession(id)
		if len(found) == 0 {
			return nil
		}
		if time.Since(begun) > killPatience {
			return fmt.Errorf("%d processes did not end within %v of KILL: first %s", len(found), killPatience, describe(found))
		}
		for _, e := range found {
			if !seen[e.pid] {
				w.Processes = append(w.Processes, e.String())
			}
			seen[e.pid] = true
			e.signal(unix.SIGKILL)
		}
		awaitAll(found)
	}
}

// ofDeadSession lists the live processes that bear a session's marker, and what is below them.
func ofDeadSession(id string) []entry {
	all := allEntries()
	below := map[int][]entry{}
	var todo []entry
	for _, e := range all {
		below[e.parent] = append(below[e.parent], e)
		if e.zombie || e.pid == os.Getpid() {
			continue
		}
		if marker, _ := markerOf(e.pid); ofSession(marker, id) {
			todo = append(todo, e)
		}
	}
	var found []entry
	for seen := map[int]bool{os.Getpid(): true}; len(todo) > 0; todo = todo[1:] {
		e := todo[0]
		if seen[e.pid] {
			continue
		}
		seen[e.pid] = true
		if !e.zombie {
			found = append(found, e)
		}
		todo = append(todo, below[e.pid]...)
	}
	return found
}
