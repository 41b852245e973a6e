package trial

import "testing"

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
	if now.n > 0 && !m.risen(oomCount{n: now.n - 1, known: true}) {
		t.Error("a count that has risen has not")
	}
	if m.risen(oomCount{n: now.n + 1000, known: true}) {
		t.Error("a count that has not risen has")
	}
}
