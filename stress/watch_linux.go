package stress

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// The changes in the file's folder that begin or end a burst. Closing is none of them: a subject that keeps the file
// open would begin a second burst with it.
const (
	touches  = syscall.IN_CREATE | syscall.IN_MODIFY | syscall.IN_ATTRIB | syscall.IN_MOVED_TO
	removals = syscall.IN_DELETE | syscall.IN_MOVED_FROM
)

// watch follows the file at path by inotify on its folder, and from when it returns nothing is missed. Where a user
// has no inotify instance left it looks every millisecond.
func watch(path string) (watchFunc, error) {
	fd, err := syscall.InotifyInit1(syscall.IN_CLOEXEC | syscall.IN_NONBLOCK)
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENOSYS) {
		return poll(path), nil
	}
	if err != nil {
		return nil, fmt.Errorf("watch the burst file: %w", os.NewSyscallError("inotify_init1", err))
	}
	events := os.NewFile(uintptr(fd), "inotify")
	folder := filepath.Dir(path)
	if _, err := syscall.InotifyAddWatch(fd, folder, touches|removals); err != nil {
		events.Close()
		return nil, fmt.Errorf("watch the burst file's folder %q: %w", folder, err)
	}
	return func(ctx context.Context, see func(touched bool)) error {
		defer events.Close()
		defer context.AfterFunc(ctx, func() { events.Close() })()
		if look(path).there {
			see(true)
		}
		err := readEvents(events, path, see)
		if ctx.Err() != nil {
			return nil
		}
		return err
	}, nil
}

// readEvents reads until the events' file is closed.
func readEvents(events *os.File, path string, see func(touched bool)) error {
	buf := make([]byte, 64<<10) // many events, each at most 16 bytes and a name of 255
	for {
		n, err := events.Read(buf)
		if err != nil {
			return fmt.Errorf("watch the burst file: %w", err)
		}
		for rest := buf[:n]; len(rest) >= syscall.SizeofInotifyEvent; {
			mask := binary.NativeEndian.Uint32(rest[4:])
			size := syscall.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(rest[12:]))
			name := string(bytes.TrimRight(rest[syscall.SizeofInotifyEvent:size], "\x00"))
			rest = rest[size:]
			switch {
			case mask&syscall.IN_Q_OVERFLOW != 0: // events are lost; what is there now is what counts
				see(look(path).there)
			case name != filepath.Base(path):
			case mask&touches != 0:
				see(true)
			case mask&removals != 0:
				see(false)
			}
		}
	}
}
