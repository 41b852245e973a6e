package stress

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Pressure is how long tasks have waited for a CPU since boot, as the kernel's pressure stall information counts it.
type Pressure struct {
	Some time.Duration // some task waited
	Full time.Duration // all tasks waited at once: always 0 for a whole machine
}

// ReadPressure reads a file such as /proc/pressure/cpu. Systems without pressure stall information (macOS among them)
// have no such file, which is an fs.ErrNotExist; kernels that have it switched off give an error when it is read.
func ReadPressure(path string) (Pressure, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return Pressure{}, fmt.Errorf("read pressure: %w", err)
	}
	p, err := parsePressure(string(b))
	if err != nil {
		return Pressure{}, fmt.Errorf("read pressure from %s: %w", path, err)
	}
	return p, nil
}

// parsePressure reads the totals, in microseconds. The full line is missing before Linux 5.13.
func parsePressure(text string) (p Pressure, err error) {
	found := false
	for line := range strings.Lines(text) {
		kind, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		_, digits, ok := strings.Cut(rest, "total=")
		if !ok {
			continue
		}
		us, err := strconv.ParseUint(digits, 10, 63)
		if err != nil {
			return Pressure{}, fmt.Errorf("total of %.100q: %w", line, err)
		}
		switch kind {
		case "some":
			p.Some, found = time.Duration(us)*time.Microsecond, true
		case "full":
			p.Full = time.Duration(us) * time.Microsecond
		}
	}
	if !found {
		return Pressure{}, errors.New(`no line "some … total="`)
	}
	return p, nil
}
