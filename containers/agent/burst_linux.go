package agent

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// watchBurst tells of every touch and removal of the file. stop ends the watch and waits for it.
func watchBurst(file string, tell func(what string)) (stop func(), err error) {
	fd, err := syscall.InotifyInit1(syscall.IN_CLOEXEC | syscall.IN_NONBLOCK)
	if err != nil {
		return nil, err
	}
	events := os.NewFile(uintptr(fd), "inotify")
	const touches = syscall.IN_CREATE | syscall.IN_MOVED_TO | syscall.IN_MODIFY | syscall.IN_ATTRIB
	const removals = syscall.IN_DELETE | syscall.IN_MOVED_FROM
	if _, err := syscall.InotifyAddWatch(fd, filepath.Dir(file), touches|removals); err != nil {
		events.Close()
		return nil, err
	}
	var done sync.WaitGroup
	done.Go(func() {
		buf := make([]byte, 4<<10)
		for {
			n, err := events.Read(buf)
			if err != nil {
				return
			}
			if mask := maskOf(buf[:n], filepath.Base(file)); mask&removals != 0 {
				tell(BurstRemoved)
			} else if mask&touches != 0 {
				tell(BurstTouched)
			}
		}
	})
	return func() { events.Close(); done.Wait() }, nil
}

// maskOf is what the last of the events that name the file says.
func maskOf(events []byte, name string) (mask uint32) {
	for len(events) >= syscall.SizeofInotifyEvent {
		size := syscall.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(events[12:]))
		if size > len(events) {
			break
		}
		if string(bytes.TrimRight(events[syscall.SizeofInotifyEvent:size], "\x00")) == name {
			mask = binary.NativeEndian.Uint32(events[4:])
		}
		events = events[size:]
	}
	return mask
}
