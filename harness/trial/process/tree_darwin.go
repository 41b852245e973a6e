package process

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// system needs nothing here: macOS gives orphans to launchd, whoever asks, so they are found by their marker.
type system struct{}

func (system) prepare() error { return nil }

// apart puts a command into a session of its own, and so out of the terminal's reach. There are no process handles.
func (system) apart(*int) *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// entry is one process, as the kernel lists it.
type entry struct {
	pid, parent, group int
	zombie             bool
	started            time.Time
	name               string // chosen by the process, so not to be trusted
}

func entryOf(k *unix.KinfoProc) entry {
	const zombie = 5 // SZOMB of sys/proc.h
	name := k.Proc.P_comm[:]
	if end := bytes.IndexByte(name, 0); end >= 0 {
		name = name[:end]
	}
	return entry{
		pid: int(k.Proc.P_pid), parent: int(k.Eproc.Ppid), group: int(k.Eproc.Pgid), zombie: k.Proc.P_stat == zombie,
		started: time.Unix(k.Proc.P_starttime.Sec, int64(k.Proc.P_starttime.Usec)*1000), name: string(name),
	}
}

// lookUp reads a process's entry; false when there is no such process.
func lookUp(pid int) (entry, bool) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(k.Proc.P_pid) != pid {
		return entry{}, false
	}
	return entryOf(k), true
}

// allEntries lists every process.
func allEntries() []entry {
	list, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil
	}
	all := make([]entry, 0, len(list))
	for i := range list {
		all = append(all, entryOf(&list[i]))
	}
	return all
}

// markerOf is the value of Marker that a process was started with. told is false when its environment cannot be read:
// that of another user's process and of a protected system program cannot.
func markerOf(pid int) (value string, told bool) {
	text, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return "", false
	}
	for _, v := range environment(text) {
		if after, ok := bytes.CutPrefix(v, []byte(Marker+"=")); ok {
			value = string(after)
		}
	}
	return value, true
}

// environment takes apart what kern.procargs2 gives: the number of arguments, the program's path, padding, the
// arguments and the environment, each ended by a zero byte.
func environment(text []byte) [][]byte {
	if len(text) < 4 {
		return nil
	}
	args := int(binary.LittleEndian.Uint32(text))
	text = text[4:]
	if end := bytes.IndexByte(text, 0); end >= 0 {
		text = bytes.TrimLeft(text[end:], "\x00")
	}
	parts := bytes.Split(text, []byte{0})
	if args < 0 || args > len(parts) {
		return nil
	}
	return parts[args:]
}

// signal sends a signal to exactly the process of the entry, as far as can be told without process handles.
func (e entry) signal(sig unix.Signal) {
	if now, ok := lookUp(e.pid); ok && now.started.Equal(e.started) {
		_ = unix.Kill(e.pid, sig)
	}
}

// endRest ends what is left of the tree after its first process was reaped.
func (p *Process) endRest(*Exit) (leaked []string, err error) {
	seen := map[int]bool{}
	for begun := time.Now(); ; {
		live := p.rest()
		if len(live) == 0 {
			return leaked, nil
		}
		if time.Since(begun) > killPatience {
			return leaked, fmt.Errorf("%d processes did not end within %v of KILL: first %s", len(live), killPatience, describe(live))
		}
		for _, e := range live {
			if !seen[e.pid] && len(leaked) < MaxLeaked {
				leaked = append(leaked, e.String())
			}
			seen[e.pid] = true
			e.signal(unix.SIGKILL)
		}
		awaitAll(live)
	}
}

// endStrays has nothing to do: without a marker nothing is found here.
func (s *Session) endStrays() error { return nil }

// rest lists the live processes of the tree: those of its group, those with its marker, and everything below them.
// Reading an environment costs, so only what began after the tree did is asked for its marker.
func (p *Process) rest() []entry {
	all := allEntries()
	below := map[int][]entry{}
	var todo []entry
	for _, e := range all {
		below[e.parent] = append(below[e.parent], e)
		if e.pid == os.Getpid() || e.zombie || p.isFirst(e.pid) || e.started.Before(p.began.Add(-time.Second)) {
			continue
		}
		if e.group == p.pid {
			todo = append(todo, e)
		} else if marker, _ := markerOf(e.pid); has(marker, p.own()) {
			todo = append(todo, e)
		}
	}
	var live []entry
	for seen := map[int]bool{os.Getpid(): true}; len(todo) > 0; todo = todo[1:] {
		e := todo[0]
		if seen[e.pid] {
			continue
		}
		seen[e.pid] = true
		if !e.zombie {
			live = append(live, e)
		}
		todo = append(todo, below[e.pid]...)
	}
	return live
}

// awaitAll waits a while for the end of processes that were sent KILL.
func awaitAll([]entry) { // there is no waiting for processes that are not our children
	_, _ = unix.Poll(nil, 1)
}

// members lists the live processes of the tree. The first process must not have been reaped.
func (p *Process) members() []entry {
	first, ok := lookUp(p.pid)
	if !ok || first.zombie {
		return p.rest()
	}
	return append(p.rest(), first)
}

// stands reports whether the process is stopped.
func (e entry) stands() bool {
	const stopped = 4 // SSTOP of sys/proc.h
	k, err := unix.SysctlKinfoProc("kern.proc.pid", e.pid)
	return err != nil || k.Proc.P_stat == stopped
}
