package trial

import (
	"bytes"
	"os"
	"strconv"
	"sync"
	"time"
)

// outOfMemory tells whether the kernel ended a process for want of memory, by its count of such ends on the whole
// machine: one that rose while a trial ran that was then ended by KILL, and not by us.
type outOfMemory struct {
	mu    sync.Mutex
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
		m.count = oomKills()
		m.read = time.Now()
	}
	return m.count
}

// risen reports whether the count has risen since a look. With several trials at a time each of them may be told so
// for one rise: a trial too many is then broken, and run again, rather than counted as failed.
func (m *outOfMemory) risen(since oomCount) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count = oomKills()
	m.read = time.Now()
	return since.known && m.count.known && m.count.n > since.n
}

// oomKills reads the count from /proc/vmstat.
func oomKills() oomCount {
	text, err := os.ReadFile("/proc/vmstat")
	if err != nil {
		return oomCount{}
	}
	_, after, ok := bytes.Cut(text, []byte("\noom_kill "))
	if !ok {
		return oomCount{}
	}
	line, _, _ := bytes.Cut(after, []byte("\n"))
	n, err := strconv.ParseUint(string(line), 10, 64)
	return oomCount{n, err == nil}
}
