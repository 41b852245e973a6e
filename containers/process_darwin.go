package containers

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// processStart is when a process started, in seconds and microseconds since 1970.
func processStart(pid int) (string, error) {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return "", fmt.Errorf("process %d: %w", pid, err)
	}
	t := p.Proc.P_starttime
	return fmt.Sprintf("%d.%06d", t.Sec, t.Usec), nil
}

// bootID is the kernel's name for the time since the system started.
func bootID() string {
	id, _ := unix.Sysctl("kern.bootsessionuuid") // empty where it is hidden, like the labels made there
	return id
}
