package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// endRest ends what is left of the tree after its first process was reaped, and reaps it.
func (p *Process) endRest(exit *Exit) (leaked []string, err error) {
	seen := map[int]bool{}
	for begun := time.Now(); ; {
		live, more := p.rest(exit)
		if len(live) == 0 && !more {
			return leaked, nil
		}
		if time.Since(begun) > killPatience {
			return leaked, fmt.Errorf("%d processes did not end within %v of KILL: first %s", len(live), killPatience, describe(live))
		}
		for _, e := range live {
			if !seen[e.pid] && !e.zombie && len(leaked) < MaxLeaked {
				leaked = append(leaked, e.String())
			}
			seen[e.pid] = true
			_ = unix.Kill(e.pid, unix.SIGKILL) // our unreaped child: its number is its own
			if e.group == p.pid {
				_ = unix.Kill(-e.group, unix.SIGKILL) // and it keeps its group's number
			}
		}
		awaitAll(live)
	}
}

// endStrays ends what is left when every tree has ended: the orphans without a marker that trees which ended at the same
// time left to each other, and those whose marker could not be read when their tree ended.
func (s *Session) endStrays() error {
	if s.null == nil { // the session did not begin
		return nil
	}
	_, err := (&Process{session: s, pid: everyTree, marker: s.mark()}).endRest(&Exit{})
	return err
}

// everyTree stands for the pid of a Process to which all of its session's trees belong.
const everyTree = -1

// rest lists the tree's processes that are our children and did not end, and reaps those that did. Others of the tree
// are below the listed ones, and become our children when those end. more says that it must be asked again.
func (p *Process) rest(exit *Exit) (live []entry, more bool) {
	if !haveChildren() {
		return nil, false
	}
	for _, pid := range children(os.Getpid()) {
		e, ok := lookUp(pid)
		if !ok || e.parent != os.Getpid() || !p.owns(e) {
			continue
		}
		var use unix.Rusage
		if got, err := unix.Wait4(e.pid, nil, unix.WNOHANG, &use); err == nil && got == e.pid {
			exit.addUse(&use)
			more = true // what it left became ours, perhaps after the list was read
			continue
		}
		live = append(live, e)
	}
	return live, more
}

// haveChildren is the quick answer for most trials: the kernel knows of no child of ours at all.
func haveChildren() bool {
	err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	return !errors.Is(err, unix.ECHILD)
}

// owns reports whether a child of ours belongs to the tree. Most of our children do not: they are other trees' first
// processes, their orphans, and what other parts of this program started and wait for.
func (p *Process) owns(e entry) bool {
	s := p.session
	if p.isFirst(e.pid) {
		return false
	}
	if e.group == p.pid || e.session == p.pid {
		return true
	}
	marker, told := "", false
	for try := 0; !told && !e.zombie && (try < 5 || try < 200 && replaced(e.pid)); try++ {
		if marker, told = markerOf(e.pid); !told { // perhaps between two programs
			_, _ = unix.Poll(nil, 1)
		}
	}
	if marker = s.within(marker); marker != "" {
		return has(marker, p.own()) || p.pid == everyTree && ofSession(marker, s.id)
	}
	// An orphan without the marker: it has ended, or has an environment of its own. It is nobody's whom we have a
	// handle of; a live one is ours when no other tree can have left it.
	if started, known := startedByUs(e.pid); started || !known {
		return false
	}
	return e.zombie || e.started >= s.system.began && s.alone()
}

// startedByUs reports whether a child was started by this program, and not adopted: Go holds a pidfd of every process
// that it starts until it has reaped it. known is false where there are no pidfds.
func startedByUs(pid int) (started, known bool) {
	probe, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return false, false
	}
	defer unix.Close(probe)
	dir, err := os.ReadDir("/proc/self/fdinfo")
	if err != nil {
		return false, false
	}
	line := "\nPid:\t" + strconv.Itoa(pid) + "\n"
	for _, d := range dir {
		if d.Name() == strconv.Itoa(probe) {
			continue
		}
		text, err := os.ReadFile("/proc/self/fdinfo/" + d.Name())
		if err == nil && strings.Contains(string(text), line) {
			return true, true
		}
	}
	return false, true
}

// awaitAll waits a while for the end of processes that were sent KILL.
func awaitAll(live []entry) {
	for _, e := range live {
		fd, err := unix.PidfdOpen(e.pid, 0)
		if err != nil {
			_, _ = unix.Poll(nil, 1) // no pidfds: look again soon
			continue
		}
		_, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 100) //nolint:gosec // a file descriptor
		_ = unix.Close(fd)
	}
}

// members lists the live processes of the tree. The first process must not have been reaped.
func (p *Process) members() (live []entry) {
	todo := []int{p.pid}
	for _, pid := range children(os.Getpid()) {
		if e, ok := lookUp(pid); ok && e.parent == os.Getpid() && !e.zombie && p.owns(e) {
			todo = append(todo, pid)
		}
	}
	for seen := map[int]bool{}; len(todo) > 0; todo = todo[1:] {
		e, ok := lookUp(todo[0])
		if !ok || seen[e.pid] {
			continue
		}
		seen[e.pid] = true
		if !e.zombie {
			live = append(live, e)
		}
		todo = append(todo, children(e.pid)...)
	}
	return live
}

// stands reports whether no thread of the process runs: SIGSTOP reaches them one after the other.
func (e entry) stands() bool {
	threads, err := filepath.Glob("/proc/" + strconv.Itoa(e.pid) + "/task/*/stat")
	for _, path := range threads {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		if end := bytes.LastIndexByte(text, ')'); end < 0 || !bytes.ContainsAny(text[end+1:min(end+3, len(text))], "TtZX") {
			return false
		}
	}
	return err == nil
}
