package containers

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

// processStart is when a process started, in clock ticks since the system did.
func processStart(pid int) (string, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", err
	}
	const field = 22 // of proc(5); the name before may hold blanks and brackets, and ends at the last bracket
	rest := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	if len(rest) < field-2 {
		return "", fmt.Errorf("process %d: its state is not readable", pid)
	}
	return string(rest[field-3]), nil
}

// bootID is the kernel's name for the time since the system started.
func bootID() string {
	b, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // empty where it is hidden, like the labels made there
	return strings.TrimSpace(string(b))
}
