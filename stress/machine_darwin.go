package stress

import "github.com/shirou/gopsutil/v4/cpu"

// readMachine reads the cores' busy time; macOS has no count of the time that tasks wait for one.
func readMachine(string) machine {
	times, err := cpu.Times(false)
	if err != nil || len(times) != 1 {
		return machine{}
	}
	busy := times[0].User + times[0].System + times[0].Nice
	return machine{busy: busy, all: busy + times[0].Idle}
}
