package rounds

import "syscall"

// kernel is the kernel's release.
func kernel() string {
	text, err := syscall.Sysctl("kern.osrelease")
	if err != nil {
		return "unknown"
	}
	return text
}
