package trial

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestOutOfMemory(t *testing.T) {
	t.Parallel()
	var m outOfMemory
	now := m.look()
	if !now.known {
		t.Skip("SKIPPED: this kernel does not count the processes that it ends for want of memory")
	}
	if m.risen(oomCount{}) {
		t.Error("an unknown count has risen")
	}
	if m.risen(oomCount{n: now.n + 1000, known: true}) {
		t.Error("a count that has not risen has")
	}
	file := filepath.Join(t.TempDir(), "memory.events")
	set := func(n int) {
		if err := os.WriteFile(file, fmt.Appendf(nil, "oom 7\noom_kill %d\noom_group_kill 9\n", n), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	set(3)
	m.file, m.read = file, time.Time{}
	before := m.look()
	if m.risen(before) {
		t.Error("a count that is the same has risen")
	}
	set(4)
	for range 2 { // two trials that ran side by side
		if !m.risen(before) {
			t.Error("a count that has risen has not, for each of two trials")
		}
	}
	if m.risen(m.look()) {
		t.Error("it has risen for the next trial as well")
	}
}
