package stress

import "time"

// machine is the whole machine's counters at one moment. They count everybody, not only the workers.
type machine struct {
	busy, all float64       // CPU time of all cores together, in a unit of the system's; all is 0 when not readable
	waited    time.Duration // time in which some task was ready and had no CPU
	pressure  bool          // waited is readable
}

// busyShare is the share of CPU time since before in which the cores were not idle, 0 to 1. It is nil when the counters
// cannot be read, or when too little time has passed for them to move.
func (m machine) busyShare(before machine) *float64 {
	if before.all == 0 || m.all <= before.all || m.busy < before.busy {
		return nil
	}
	share := min(1, (m.busy-before.busy)/(m.all-before.all))
	return &share
}

// pressureShare is the share of the wall time since before in which some task waited for a CPU, 0 to 1; nil when not readable.
func (m machine) pressureShare(before machine, wall time.Duration) *float64 {
	if !m.pressure || !before.pressure || wall <= 0 || m.waited < before.waited {
		return nil
	}
	share := min(1, float64(m.waited-before.waited)/float64(wall))
	return &share
}
