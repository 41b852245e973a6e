package process_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/failrate/failrate/harness/trial/process"
	"github.com/failrate/failrate/harness/trial/trialtest"
)

// An orphan without any environment, in a session of its own, can only be told by its being nobody else's. This needs a
// harness of its own: other tests' trees in this program could have left it as well.
func TestOrphanWithoutMarker(t *testing.T) {
	t.Parallel()
	token := "token=" + t.Name()
	c := harness(t, t.TempDir(), trialtest.Program(t, "linux"), token, "spawn=bare", "spawn=bare", "exit=3")
	if got := output(t, c); got != "status=3 leaked=2 err=<nil>" {
		t.Errorf("observed %q", got)
	}
	if left := trialtest.Processes(t, token); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// Orphans that end by themselves are reaped too, or a campaign would run out of process numbers. Not parallel: the
// children of other tests would be in the way.
func TestNoZombies(t *testing.T) {
	dir := t.TempDir()
	program := trialtest.Program(t, "linux")
	s, err := process.Open(process.Options{Sessions: filepath.Join(dir, "sessions"), Scratch: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for range 5 {
		exit, err := run(t.Context(), s, filepath.Join(dir, "log"), []string{program, "spawn=brief", "spawn=brief", "spawn=daemon", "spawn=held"})
		if err != nil || exit.Status != 0 {
			t.Fatalf("%+v (%v)", exit, err)
		}
		err = unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.ECHILD) {
			list, _ := exec.CommandContext(t.Context(), "ps", "-o", "pid,ppid,pgid,sid,stat,args", "--ppid", fmt.Sprint(os.Getpid())).Output()
			t.Fatalf("we still have children (%v):\n%s", err, list)
		}
	}
}

// A subject must not reach the terminal that the harness was started from: neither when the harness is one of the
// session's processes (as below a shell) nor when it is the first one (as below ssh -t).
func TestNoTerminal(t *testing.T) {
	t.Parallel()
	for _, first := range []bool{true, false} {
		t.Run(fmt.Sprintf("first=%t", first), func(t *testing.T) {
			t.Parallel()
			ours, theirs := terminal(t)
			defer ours.Close()
			defer theirs.Close()
			const open = "{ true <>/dev/tty; } 2>/dev/null && exit 11; exit 12"
			c := harness(t, t.TempDir(), "/bin/sh", "-c", open)
			if !first { // the shell is the session's first process, and sees that it has a terminal
				c = exec.CommandContext(t.Context(), "/bin/sh", append([]string{"-c", `true <>/dev/tty || exit 1; "$@"; exit $?`, "sh"}, c.Args...)...)
				c.Env = append(os.Environ(), harnessVariable+"="+t.TempDir())
			}
			c.Stdin = theirs
			c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			if got := output(t, c); got != "status=12 leaked=0 err=<nil>" {
				t.Errorf("observed %q; status 11 means that the terminal could be opened", got)
			}
		})
	}
}

// terminal makes a pseudo-terminal.
func terminal(t *testing.T) (ours, theirs *os.File) {
	t.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("SKIPPED: no pseudo-terminals here: %v", err)
	}
	fd := int(ours.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("SKIPPED: no pseudo-terminals here: %v", err)
	}
	return ours, theirs
}

// The harness may itself run below a tree of another one: each ends its own, and the outer one the inner's too.
func TestNested(t *testing.T) {
	t.Parallel()
	program := trialtest.Program(t, "linux")
	dir := t.TempDir()
	token := "token=" + t.Name()
	// The inner harness is killed by its own subject's end: the subject's daemon is then an orphan of the outer tree.
	inner := fmt.Sprintf(`%s=%s/inner %q %q %s spawn=daemon spawn=quiet write=%s/begun: sleep= &
		while ! test -e %s/begun; do :; done; kill -9 $!; exit 5`, harnessVariable, dir, os.Args[0], program, token, dir, dir)
	if err := os.Mkdir(filepath.Join(dir, "inner"), 0o700); err != nil {
		t.Fatal(err)
	}
	got := output(t, harness(t, dir, "/bin/sh", "-c", inner))
	if !strings.HasPrefix(got, "status=5 leaked=") || !strings.HasSuffix(got, " err=<nil>") {
		t.Errorf("observed %q", got)
	}
	if left := trialtest.Processes(t, token); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}
