package agent

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// counters are running totals of the container, read before and after an attempt.
type counters struct {
	killed             int64 // processes ended for want of memory
	packets            int64 // of every interface of the network namespace
	periods, throttled int64 // of the CPU quota
	quota              bool  // whether the two above could be read
}

// readCounters reads what the attempt asks for, from both kinds of cgroup file systems. What cannot be read counts as 0.
func readCounters(r Run) counters {
	c := counters{killed: oomKills()}
	if r.CPU {
		c.periods, c.throttled, c.quota = quotaPeriods()
	}
	if r.Last { // else nobody shares the network namespace
		c.packets = packets()
	}
	return c
}

// since puts the differences to an earlier reading into the result.
func (c counters) since(before counters, res *Result) {
	res.OOM = c.killed > before.killed
	res.Packets = c.packets
	if c.quota && before.quota {
		periods, throttled := c.periods-before.periods, c.throttled-before.throttled
		res.Periods, res.Throttled = &periods, &throttled
	}
}

func oomKills() int64 {
	for _, f := range []string{"/sys/fs/cgroup/memory/memory.oom_control", unified("memory.events")} {
		if v, ok := field(f, "oom_kill"); ok {
			return v
		}
	}
	return 0
}

func quotaPeriods() (periods, throttled int64, ok bool) {
	for _, f := range []string{"/sys/fs/cgroup/cpu/cpu.stat", "/sys/fs/cgroup/cpu,cpuacct/cpu.stat", unified("cpu.stat")} {
		p, ok1 := field(f, "nr_periods")
		t, ok2 := field(f, "nr_throttled")
		if ok1 && ok2 {
			return p, t, true
		}
	}
	return 0, 0, false
}

// unified is the place of a file in the container's cgroup v2: the root of its own namespace, or below the host's.
func unified(file string) string {
	const root = "/sys/fs/cgroup"
	b, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return filepath.Join(root, file)
	}
	for line := range strings.Lines(string(b)) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			full := filepath.Join(root, path, file)
			if _, err := os.Stat(full); err == nil {
				return full
			}
		}
	}
	return filepath.Join(root, file)
}

// field reads one value of a file of lines "name value".
func field(file, name string) (int64, bool) {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == name {
			v, err := strconv.ParseInt(f[1], 10, 64)
			return v, err == nil
		}
	}
	return 0, false
}

// packets adds what every interface has received and sent.
func packets() int64 {
	b, err := os.ReadFile("/proc/self/net/dev")
	if err != nil {
		return 0
	}
	return sumPackets(string(b))
}

func sumPackets(text string) int64 {
	var sum int64
	for line := range strings.Lines(text) {
		_, values, ok := strings.Cut(line, ":")
		f := strings.Fields(values)
		if !ok || len(f) < 10 {
			continue
		}
		for _, i := range []int{1, 9} { // packets received, packets sent
			v, _ := strconv.ParseInt(f[i], 10, 64)
			sum += v
		}
	}
	return sum
}
