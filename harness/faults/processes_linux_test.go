package faults

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// processes lists those that belong to the home: by their program, their folder, their arguments or their environment.
// A zombie has nothing of these and is its parent's to reap.
func (h *home) processes() (list []string) {
	for _, pid := range h.owned() {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		list = append(list, fmt.Sprintf("process %d %q", pid, bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
	}
	return list
}

func (h *home) owned() (list []int) {
	dirs, _ := filepath.Glob("/proc/[0-9]*") // a fixed pattern
	for _, dir := range dirs {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err == nil && pid != os.Getpid() && h.owns(dir) {
			list = append(list, pid)
		}
	}
	return list
}

func (h *home) owns(dir string) bool {
	for _, link := range []string{"exe", "cwd"} {
		if to, err := os.Readlink(filepath.Join(dir, link)); err == nil && strings.HasPrefix(to, h.dir+"/") {
			return true
		}
	}
	for _, file := range []string{"environ", "cmdline"} {
		if text, err := os.ReadFile(filepath.Join(dir, file)); err == nil && (bytes.Contains(text, []byte(h.mark)) || bytes.Contains(text, []byte(h.dir+"/"))) {
			return true
		}
	}
	return false
}

// endAll ends what is left, so that one failure does not disturb the other tests.
func (h *home) endAll() {
	for _, pid := range h.owned() {
		_ = unix.Kill(pid, unix.SIGKILL)
	}
}

// unmount lets go of a disk, now or when nobody uses it any more.
func unmount(dir string) error { return unix.Unmount(dir, unix.MNT_DETACH) }
