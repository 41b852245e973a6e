package process

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Orphans counts the sessions in the folder (empty means DefaultSessions) whose harness is gone and that Sweep would
// clean up. It changes nothing.
func Orphans(sessions string) (int, error) {
	if sessions == "" {
		sessions = DefaultSessions()
	}
	names, err := filepath.Glob(filepath.Join(escape(sessions), "*.json"))
	if err != nil {
		return 0, err
	}
	dead := 0
	for _, name := range names {
		f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW, 0)
		if errors.Is(err, os.ErrNotExist) {
			continue // its harness has just ended
		}
		if err != nil {
			return dead, err
		}
		if unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) == nil {
			dead++
		}
		f.Close() // lets go of the lock
	}
	return dead, nil
}
