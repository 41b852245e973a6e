package stress

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// readMachine reads the counters below proc, which is /proc in production. What cannot be read is left unknown.
func readMachine(proc string) machine {
	var m machine
	if b, err := os.ReadFile(filepath.Join(proc, "stat")); err == nil {
		m.busy, m.all, _ = parseStat(string(b))
	}
	if p, err := ReadPressure(filepath.Join(proc, "pressure", "cpu")); err == nil {
		m.waited, m.pressure = p.Some, true
	}
	return m
}

// parseStat gives busy and all CPU time in ticks from the first line of /proc/stat. Time that a hypervisor took is
// busy: a task wanted the CPU. Guests' time is part of user time already.
func parseStat(text string) (busy, all float64, err error) {
	line, _, _ := strings.Cut(text, "\n")
	fields := strings.Fields(line)
	if len(fields) < 6 || fields[0] != "cpu" {
		return 0, 0, fmt.Errorf("stat: the first line is %.100q and not the cpu line", line)
	}
	for i, f := range fields[1:min(len(fields), 9)] {
		ticks, err := strconv.ParseUint(f, 10, 64)
		if err != nil {
			return 0, 0, fmt.Errorf("stat: column %d of the cpu line: %w", i+1, err)
		}
		all += float64(ticks)
		const idle, iowait = 3, 4
		if i != idle && i != iowait {
			busy += float64(ticks)
		}
	}
	return busy, all, nil
}
