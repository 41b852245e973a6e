//go:build !linux

package faults

import (
	"os/exec"
	"strings"
)

// processes lists those that belong to the home: by their arguments or their environment.
func (h *home) processes() (list []string) {
	text, err := exec.Command("ps", "-axwwE", "-o", "pid=,command=").Output()
	if err != nil {
		return []string{"ps: " + err.Error()}
	}
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, h.dir+"/") || strings.Contains(line, h.mark) {
			list = append(list, "process "+strings.TrimSpace(line))
		}
	}
	return list
}

// endAll would need the process ids; where there is no /proc, what is left stays for the user to see.
func (h *home) endAll() {}

// unmount does nothing: no test mounts a disk here.
func unmount(string) error { return nil }
