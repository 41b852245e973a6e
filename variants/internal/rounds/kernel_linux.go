package rounds

import (
	"os"
	"strings"
)

// kernel is the kernel's release.
func kernel() string {
	text, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(text))
}
