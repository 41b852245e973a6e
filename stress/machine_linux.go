package stress

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// counters are the files of the machine's counters. They stay open, because a reading comes before and after every
// trial, and most of what it would take is opening and closing them.
type counters struct{ stat, pressure *os.File } // nil when not readable

// openCounters opens the files below proc, which is /proc in production.
func openCounters(proc string) *counters {
	open := func(names ...string) *os.File {
		f, err := os.Open(filepath.Join(append([]string{proc}, names...)...))
		if err != nil {
			return nil
		}
		return f
	}
	return &counters{stat: open("stat"), pressure: open("pressure", "cpu")}
}

// read gives the counters as they are now. What cannot be read is left unknown.
func (c *counters) read() machine {
	var m machine
	if text, err := firstLines(c.stat); err == nil {
		m.busy, m.all, _ = parseStat(text)
	}
	if text, err := firstLines(c.pressure); err == nil {
		if p, err := parsePressure(text); err == nil {
			m.waited, m.pressure = p.Some, true
		}
	}
	return m
}

// firstLines gives the first lines of a file: all of those that are wanted, and perhaps part of a further one.
func firstLines(f *os.File) (string, error) {
	if f == nil {
		return "", os.ErrNotExist
	}
	var buf [512]byte
	n, err := f.ReadAt(buf[:], 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return string(buf[:n]), err
}

// close lets go of the files; after it everything is unknown.
func (c *counters) close() {
	for _, f := range []*os.File{c.stat, c.pressure} {
		if f != nil {
			f.Close()
		}
	}
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
