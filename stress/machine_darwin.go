package stress

import "github.com/shirou/gopsutil/v4/cpu"

// counters are the machine's counters, which macOS gives without a file.
type counters struct{}

func openCounters(string) *counters { return &counters{} }

// read gives the cores' busy time; macOS has no count of the time that tasks wait for one.
func (*counters) read() machine {
	times, err := cpu.Times(false)
	if err != nil || len(times) != 1 {
		return machine{}
	}
	busy := times[0].User + times[0].System + times[0].Nice
	return machine{busy: busy, all: busy + times[0].Idle}
}

func (*counters) close() {}
