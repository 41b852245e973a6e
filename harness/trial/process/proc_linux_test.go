package process

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestParseStat(t *testing.T) {
	t.Parallel()
	const rest = " 0 -1 4194304 100 0 0 0 1 2 3 4 20 0 1 0 98765 1000 200 18446744073709551615"
	for _, c := range []struct {
		text string
		want entry
		ok   bool
	}{
		{"7 (sh) S 1 7 7" + rest, entry{7, 1, 7, 7, false, 98765, "sh"}, true},
		{"7 (a) Z (b) Z 2 8 9" + rest, entry{7, 2, 8, 9, true, 98765, "a) Z (b"}, true},
		{"7 (a) Z 2 8 9" + strings.Replace(rest, " 0 1 0 98765", " 0 2 0 98765", 1), entry{7, 2, 8, 9, false, 98765, "a"}, true},
		{"7 (\n)) S 1 7 7" + rest, entry{7, 1, 7, 7, false, 98765, "\n)"}, true},
		{"7 (sh) S 1 7", entry{}, false},
		{"7 (sh) S x 7 7" + rest, entry{}, false},
		{"", entry{}, false},
		{")(", entry{}, false},
	} {
		got, ok := parseStat(7, c.text)
		if ok != c.ok || ok && got != c.want {
			t.Errorf("%q: %+v %t, want %+v %t", c.text, got, ok, c.want, c.ok)
		}
	}
	if me, ok := lookUp(os.Getpid()); !ok || me.parent != os.Getppid() || me.started == 0 {
		t.Errorf("we are %+v (%t)", me, ok)
	}
	if replaced(os.Getpid()) || replaced(-1) {
		t.Error("we are not being replaced by another program, and nobody is not either")
	}
}

// Another part of the program may wait for its own child, alive or ended: it must be told from an adopted one.
func TestStartedByUs(t *testing.T) {
	t.Parallel()
	c := exec.CommandContext(t.Context(), "/bin/cat")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if started, known := startedByUs(c.Process.Pid); !started || !known {
		t.Errorf("a live child was started by us: %t (known: %t)", started, known)
	}
	in.Close()
	p := &Process{pid: c.Process.Pid, handle: -1}
	if err := p.await(&stopper{p: p}); err != nil { // ended, and not reaped
		t.Fatal(err)
	}
	if started, known := startedByUs(c.Process.Pid); !started || !known {
		t.Errorf("an ended child was started by us: %t (known: %t)", started, known)
	}
	s := &Session{active: map[int]*Process{}}
	if e, ok := lookUp(c.Process.Pid); !ok || !e.zombie || (&Process{session: s, pid: 1, marker: "x.1"}).owns(e) {
		t.Errorf("%+v (%t) is an orphan of some tree", e, ok)
	}
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
	if started, known := startedByUs(1); started || !known {
		t.Errorf("process 1 was started by us: %t (known: %t)", started, known)
	}
}

// What its own tree did not recognise is ended with the session at the latest.
func TestCloseEndsStrays(t *testing.T) {
	t.Parallel()
	s, err := Open(Options{Sessions: t.TempDir(), Scratch: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), "/bin/sh", "-c", "sleep 1000 >&- 2>&- & echo $!")
	c.Env = []string{"PATH=/usr/bin:/bin", Marker + "=" + s.id + ".999"}
	text, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	stray, ok := lookUp(pid)
	if !ok || stray.parent != os.Getpid() {
		t.Fatalf("%+v (%t) is not our orphan", stray, ok)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if now, ok := lookUp(pid); ok && now.started == stray.started {
		stray.signal(unix.SIGKILL)
		t.Errorf("%s outlives the session", stray)
	}
}
