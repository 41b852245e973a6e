package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// openLocked opens the journal of a folder for appending, alone. The lock goes with the process, however it ends.
// Nothing but a regular file is opened: a link or a pipe in its place did not come from here.
func openLocked(dir string, flags int) (*os.File, error) {
	path := filepath.Join(dir, FileName)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|flags, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lock(f, dir); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// A subject that a harness was starting when it was killed holds the harness's lock until it has begun to run. So a lock
// that is taken is tried again for a moment.
const (
	lockTries = 10
	lockPause = 20 * time.Millisecond
)

func lock(f *os.File, dir string) error {
	err := regular(f)
	if err != nil {
		return err
	}
	for range lockTries {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil || !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			break
		}
		time.Sleep(lockPause)
	}
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return &LockedError{Path: f.Name(), PID: holder(dir)}
	case err != nil:
		return fmt.Errorf("%s: lock: %w", f.Name(), err)
	}
	forgetHalves(dir)
	return replace(filepath.Join(dir, pidName), []byte(strconv.Itoa(os.Getpid())+"\n"), nil)
}

// unlock gives the lock back at once: closing the file would not while a process that is being started has it open too.
func unlock(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

// locked is a locked file, which gives its lock back when it is closed.
type locked struct{ *os.File }

// Close unlocks and closes.
func (l locked) Close() error {
	unlock(l.File)
	return l.File.Close()
}

// holder reads who wrote the pid file; 0 when it does not say.
func holder(dir string) int {
	f, err := openRegular(filepath.Join(dir, pidName))
	if err != nil {
		return 0
	}
	defer func() { _ = f.Close() }()
	text := make([]byte, 20)
	n, _ := f.Read(text)
	pid, err := strconv.Atoi(strings.TrimSpace(string(text[:n])))
	if err != nil || pid < 1 {
		return 0
	}
	return pid
}

// openRegular opens a file for reading and refuses whatever is not one: a link, a folder, or a pipe that would never end.
func openRegular(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if err := regular(f); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

func regular(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return &refusal{kind: ErrDamaged, text: f.Name() + ": it is not a regular file", hint: "failrate writes a file there; remove what took its place"}
	}
	return nil
}
