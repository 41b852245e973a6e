package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestSubjectChangesTheTerminal runs the harness on a terminal of its own: it is as before when the campaign is over,
// whatever its subjects did to every terminal they could reach.
func TestSubjectChangesTheTerminal(t *testing.T) {
	t.Parallel()
	shared.score.point(t, "hostile subject: changes the terminal")
	h := newHome(t)
	h.write(t, strings.Replace(vandalStudy, "COMMAND", "./subject terminal", 1))
	near, far := terminal(t)
	before, err := unix.IoctlGetTermios(int(far.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	go func() { // what the harness draws
		buf := make([]byte, 1<<12)
		for {
			if _, err := near.Read(buf); err != nil {
				return
			}
		}
	}()
	r := h.prepared(t, "measure", "study", "--seed", "7", "--results", "results", "-o", "table.json", "--format", "json")
	r.cmd.Stdin, r.cmd.Stdout, r.cmd.Stderr = far, far, far
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	h.begin(t, r)
	if status := r.wait(t, patience); status != 0 {
		t.Fatalf("exit status %d", status)
	}
	after, err := unix.IoctlGetTermios(int(far.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	if *after != *before {
		t.Errorf("the terminal was %+v and is %+v", *before, *after)
	}
	table, err := os.ReadFile(filepath.Join(h.dir, "table.json"))
	if err != nil || strings.Count(stable(t, string(table)), `"fail": 4`) != 2 {
		t.Errorf("%v\n%s", err, table)
	}
}

// terminal makes a pair: what is written to far as by a program is read from near.
func terminal(t *testing.T) (near, far *os.File) {
	t.Helper()
	near, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = near.Close() })
	if err := unix.IoctlSetPointerInt(int(near.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(near.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	far, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = far.Close() })
	return near, far
}
