package stress

import (
	"fmt"
	"strings"
	"time"
)

// usage is what a worker's process has used since it began. It travels as one line of five numbers.
type usage struct {
	workers  int
	at       time.Duration // when it was taken, by the process's own clock: an answer can be late on a loaded machine
	cpu      time.Duration
	bursts   int
	bursting time.Duration // length of all bursts
}

// cores is the CPU time per wall time from before until u; 0 when no time has passed.
func (u usage) cores(before usage) float64 {
	if u.at <= before.at {
		return 0
	}
	return float64(u.cpu-before.cpu) / float64(u.at-before.at)
}

// String is the line, without its end.
func (u usage) String() string {
	return fmt.Sprintf("usage %d %d %d %d %d", u.workers, u.at, u.cpu, u.bursts, u.bursting)
}

// parseUsage reads a line that String made.
func parseUsage(line string) (u usage, err error) {
	line = strings.TrimSuffix(line, "\n")
	_, err = fmt.Sscanf(line, "usage %d %d %d %d %d", &u.workers, &u.at, &u.cpu, &u.bursts, &u.bursting)
	if err != nil || u.String() != line {
		return usage{}, fmt.Errorf("%.100q is no answer of a stress worker: does the program's main call stress.RunWorker?", line)
	}
	return u, nil
}
