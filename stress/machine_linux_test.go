package stress

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestMachineFromCapturedFiles(t *testing.T) {
	t.Parallel()
	for folder, want := range map[string]machine{
		// user + nice + system + irq + softirq + steal, and idle + iowait with them
		"proc-linux-6.1": {busy: 89 + 551 + 44, all: 89 + 551 + 44 + 972, waited: 2274284 * time.Microsecond, pressure: true},
		"proc-before":    {busy: 130848 + 40010 + 69893 + 2699 + 4773, all: 130848 + 40010 + 69893 + 943598 + 2757 + 2699 + 4773, waited: 673828033 * time.Microsecond, pressure: true},
		"nowhere":        {},
	} {
		if got := readCounters(filepath.Join("testdata", folder)); got != want {
			t.Errorf("%s: %+v, want %+v", folder, got, want)
		}
	}
}

func TestSharesBetweenCapturedFiles(t *testing.T) {
	t.Parallel()
	before, after := readCounters("testdata/proc-before"), readCounters("testdata/proc-after")
	if got := after.busyShare(before); got == nil || *got != 1 {
		t.Errorf("busy share %v, want 1: the idle column did not move", got)
	}
	const wall = 2134458580 * time.Nanosecond
	got := after.pressureShare(before, wall)
	if want := (675860081 - 673828033) * 1e-6 / wall.Seconds(); got == nil || *got < want-1e-9 || *got > want+1e-9 {
		t.Errorf("pressure %v, want %v", got, want)
	}
}

func TestThisMachineIsReadable(t *testing.T) {
	t.Parallel()
	if m := readCounters("/proc"); m.all <= 0 || m.busy <= 0 || m.busy > m.all {
		t.Errorf("%+v", m)
	}
}

func TestDamagedStatIsAnError(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "cpu", "cpu 1 2 3 4", "cpu0 1 2 3 4 5 6 7 8", "cpu 1 2 3 x 5 6 7", "cpu 1 2 3 -4 5 6 7"} {
		if busy, all, err := parseStat(text); err == nil {
			t.Errorf("stat %q is %v of %v", text, busy, all)
		}
	}
}

func readCounters(proc string) machine {
	c := openCounters(proc)
	defer c.close()
	return c.read()
}

// TestCountersMove: a file that stays open is read anew each time.
func TestCountersMove(t *testing.T) {
	t.Parallel()
	proc := t.TempDir()
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(proc, "stat"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("cpu 10 0 0 90 0 0 0 0\n")
	c := openCounters(proc)
	before := c.read()
	write("cpu 110 0 0 190 0 0 0 0\n")
	if share := c.read().busyShare(before); share == nil || *share != 0.5 {
		t.Errorf("busy share %v, want 0.5", share)
	}
	c.close()
	if m := c.read(); m != (machine{}) {
		t.Errorf("%+v after closing, want nothing known", m)
	}
}
