package agent

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// maxLeaked bounds the names that are noted.
const maxLeaked = 16

// process is what /proc says of one.
type process struct {
	pid, parent int
	name        string
	state       byte
	threads     int // 0 when the text did not say
}

// ended reports whether nothing of it runs: one whose first thread alone has ended is listed as a zombie, and lives.
func (p process) ended() bool { return p.state == 'Z' && p.threads <= 1 }

// living lists the processes besides the agent and the stress worker, lowest process id first.
func living(load int) []process {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil
	}
	var found []process
	for _, s := range stats {
		b, err := os.ReadFile(s)
		if err != nil {
			continue // it has ended meanwhile
		}
		p, ok := parseStat(string(b))
		if ok && !p.ended() && p.pid != 1 && p.pid != load && (load == 0 || p.parent != load) {
			found = append(found, p)
		}
	}
	slices.SortFunc(found, func(a, b process) int { return cmp.Compare(a.pid, b.pid) })
	return found
}

// describe names processes as "name (pid)".
func describe(found []process) (names []string) {
	for _, p := range found[:min(len(found), maxLeaked)] {
		names = append(names, fmt.Sprintf("%s (%d)", p.name, p.pid))
	}
	return names
}

// parseStat reads the start of /proc/PID/stat. The name may itself hold blanks and brackets, so its end is the last.
func parseStat(text string) (process, bool) {
	open, shut := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if open < 1 || shut < open {
		return process{}, false
	}
	pid, err := strconv.Atoi(strings.TrimSpace(text[:open]))
	rest := strings.Fields(text[shut+1:])
	if err != nil || len(rest) < 2 || len(rest[0]) != 1 {
		return process{}, false
	}
	parent, err := strconv.Atoi(rest[1])
	p := process{pid: pid, parent: parent, name: printable(text[open+1 : shut]), state: rest[0][0]}
	if len(rest) > 17 && err == nil {
		p.threads, err = strconv.Atoi(rest[17]) // field 20, num_threads
	}
	return p, err == nil
}

// printable keeps a process's name from writing on a terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s)
}

// preferVictim makes the kernel choose the subject and its children rather than the agent when memory runs out.
func preferVictim(pid int) {
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid), []byte("500"), 0)
}

// signalName is the name of a signal such as SIGKILL; those without one have their number.
func signalName(s syscall.Signal) string {
	if n, ok := signalNames[s]; ok {
		return n
	}
	return fmt.Sprintf("signal %d", int(s))
}

var signalNames = map[syscall.Signal]string{
	syscall.SIGHUP: "SIGHUP", syscall.SIGINT: "SIGINT", syscall.SIGQUIT: "SIGQUIT", syscall.SIGILL: "SIGILL",
	syscall.SIGTRAP: "SIGTRAP", syscall.SIGABRT: "SIGABRT", syscall.SIGBUS: "SIGBUS", syscall.SIGFPE: "SIGFPE",
	syscall.SIGKILL: "SIGKILL", syscall.SIGUSR1: "SIGUSR1", syscall.SIGSEGV: "SIGSEGV", syscall.SIGUSR2: "SIGUSR2",
	syscall.SIGPIPE: "SIGPIPE", syscall.SIGALRM: "SIGALRM", syscall.SIGTERM: "SIGTERM", syscall.SIGXCPU: "SIGXCPU",
	syscall.SIGXFSZ: "SIGXFSZ", syscall.SIGVTALRM: "SIGVTALRM", syscall.SIGPROF: "SIGPROF", syscall.SIGIO: "SIGIO",
	syscall.SIGPWR: "SIGPWR", syscall.SIGSYS: "SIGSYS", syscall.SIGSTKFLT: "SIGSTKFLT",
}
