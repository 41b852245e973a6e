package process

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// entry is one process, as the kernel lists it.
type entry struct {
	pid, parent, group, session int
	zombie                      bool
	started                     uint64 // clock ticks since the machine started
	name                        string // chosen by the process, so not to be trusted
}

// lookUp reads a process's entry; false when there is no such process.
func lookUp(pid int) (entry, bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return entry{}, false
	}
	return parseStat(pid, string(text))
}

// parseStat reads proc_pid_stat(5): pid (name) state ppid pgrp session … num_threads is field 20, starttime 22. The
// name may hold spaces and parentheses, so the last one ends it. A process whose first thread alone has ended is listed
// as a zombie as well, but lives.
func parseStat(pid int, text string) (entry, bool) {
	from, to := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if from < 0 || to < from {
		return entry{}, false
	}
	fields := strings.Fields(text[to+1:])
	if len(fields) < 20 {
		return entry{}, false
	}
	e := entry{pid: pid, name: text[from+1 : to]}
	var errs [5]error
	e.parent, errs[0] = strconv.Atoi(fields[1])
	e.group, errs[1] = strconv.Atoi(fields[2])
	e.session, errs[2] = strconv.Atoi(fields[3])
	e.started, errs[3] = strconv.ParseUint(fields[19], 10, 64)
	threads, err := strconv.Atoi(fields[17])
	e.zombie, errs[4] = (fields[0] == "Z" || fields[0] == "X") && threads <= 1, err
	return e, errors.Join(errs[:]...) == nil
}

// children lists the processes whose parent is the process. For our own process these are the adopted ones and those
// that the main thread started: Linux gives an orphan to the first thread of the nearest subreaper. The list may lack
// a child when another one ends while it is read, so it is read until it is twice the same.
func children(pid int) []int {
	name := strconv.Itoa(pid)
	var text, before []byte
	for try := 0; try < 2 || try < 20 && !bytes.Equal(text, before); try++ {
		var err error
		before = text
		text, err = os.ReadFile("/proc/" + name + "/task/" + name + "/children")
		if errors.Is(err, os.ErrNotExist) {
			return childrenByScan(pid) // a kernel built without these lists, or the process has ended
		}
	}
	var pids []int
	for f := range bytes.FieldsSeq(text) {
		if n, err := strconv.Atoi(string(f)); err == nil {
			pids = append(pids, n)
		}
	}
	return pids
}

func childrenByScan(pid int) []int {
	var pids []int
	for _, n := range allPIDs() {
		if e, ok := lookUp(n); ok && e.parent == pid {
			pids = append(pids, n)
		}
	}
	return pids
}

func allPIDs() []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	var pids []int
	for _, n := range names {
		if pid, err := strconv.Atoi(n); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// markerOf is the value of Marker that a process was started with. told is false when its environment cannot be read
// or is empty, as that of a process that is just being replaced by another program.
func markerOf(pid int) (value string, told bool) {
	dir := "/proc/" + strconv.Itoa(pid)
	text, _ := os.ReadFile(dir + "/environ")
	if len(text) == 0 { // the first thread may have ended, and another one still tell
		others, _ := filepath.Glob(dir + "/task/*/environ")
		for _, o := range others {
			if text, _ = os.ReadFile(o); len(text) > 0 {
				break
			}
		}
	}
	for v := range bytes.SplitSeq(text, []byte{0}) {
		if after, ok := bytes.CutPrefix(v, []byte(Marker+"=")); ok {
			value = string(after) // the last one counts, as a program may have appended its own
		}
	}
	return value, len(text) > 0
}

// replaced reports whether a process is just being replaced by another program: the kernel has not set yet where its
// environment ends, or does not let us know. On a busy machine that can take a while.
func replaced(pid int) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(text[bytes.LastIndexByte(text, ')')+1:]), " ")
	fields := strings.Fields(rest)
	const end = 51 - 3 // of proc_pid_stat(5), and the state, field 3, comes first
	return len(fields) > end && fields[end] == "0" && fields[0] != "Z" && fields[0] != "X"
}

// signal sends a signal to exactly the process of the entry, and to none that took its number since.
func (e entry) signal(sig unix.Signal) {
	fd, err := unix.PidfdOpen(e.pid, 0)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
		_ = unix.Kill(e.pid, sig)
		return
	}
	if err != nil {
		return
	}
	defer unix.Close(fd)
	if now, ok := lookUp(e.pid); ok && now.started == e.started {
		_ = unix.PidfdSendSignal(fd, sig, nil, 0)
	}
}

// allEntries lists every process.
func allEntries() []entry {
	var all []entry
	for _, pid := range allPIDs() {
		if e, ok := lookUp(pid); ok {
			all = append(all, e)
		}
	}
	return all
}
