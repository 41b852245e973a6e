package trial

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// outOfMemory tells whether the kernel ended a process for want of memory, by its count of such ends: one that rose while
// a trial ran that was then ended by KILL, and not by us.
type outOfMemory struct {
	mu    sync.Mutex
	file  string // where the count is; empty until it was looked for
	field string // the word before it
	count oomCount
	read  time.Time
}

// oomCount is how many processes the kernel ended for want of memory; known is false where it does not say.
type oomCount struct {
	n     uint64
	known bool
}

// look gives the count before a trial. Reading it takes a tenth of a short trial's time, so it may be a second old.
func (m *outOfMemory) look() oomCount {
	m.mu.Lock()
	defer m.mu.Unlock()
	if time.Since(m.read) > time.Second {
		m.count = m.kills()
		m.read = time.Now()
	}
	return m.count
}

// risen reports whether the count has risen since a look. With several trials at a time each of them may be told so
// for one rise: a trial too many is then broken, and run again, rather than counted as failed.
func (m *outOfMemory) risen(since oomCount) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count = m.kills()
	m.read = time.Now()
	return since.known && m.count.known && m.count.n > since.n
}

// kills reads the count: that of our control group, in which the trials are too, or else the whole machine's, which other
// programs' ends raise as well.
func (m *outOfMemory) kills() oomCount {
	if m.file == "" {
		m.file, m.field = "/proc/vmstat", "oom_kill"
		for _, file := range groupFiles() {
			if readCount(file, m.field).known {
				m.file = file
				break
			}
		}
	}
	return readCount(m.file, m.field)
}

// groupFiles lists where the count of our control group may be: in a file of version 2 or of version 1. The second form
// of each is for a container, which sees its own group as the root.
func groupFiles() []string {
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil
	}
	var files []string
	for line := range strings.Lines(string(text)) { // number:controllers:path
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		switch {
		case len(parts) != 3:
		case parts[1] == "":
			for _, dir := range []string{"/sys/fs/cgroup" + parts[2], "/sys/fs/cgroup/unified" + parts[2], "/sys/fs/cgroup"} {
				files = append(files, filepath.Join(dir, "memory.events"))
			}
		case slices.Contains(strings.Split(parts[1], ","), "memory"):
			for _, dir := range []string{"/sys/fs/cgroup/memory" + parts[2], "/sys/fs/cgroup/memory"} {
				files = append(files, filepath.Join(dir, "memory.oom_control"))
			}
		}
	}
	return files
}

// readCount reads the number after a word at the beginning of a line.
func readCount(file, field string) oomCount {
	text, err := os.ReadFile(file)
	if err != nil {
		return oomCount{}
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, field+" "); ok {
			n, err := strconv.ParseUint(strings.TrimSpace(rest), 10, 64)
			return oomCount{n, err == nil}
		}
	}
	return oomCount{}
}
