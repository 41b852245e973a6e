package process

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestSuspend stops a tree of two processes, lets it go on, stops it again, and asks it to end while it is stopped.
func TestSuspend(t *testing.T) {
	t.Parallel()
	s := open(t)
	ready := filepath.Join(t.TempDir(), "ready")
	script := `trap 'kill $child; exit 3' TERM; sleep 1000 & child=$!; echo $child > "$0.new"; mv "$0.new" "$0"; wait`
	log := newLog(t, filepath.Join(t.TempDir(), "log"))
	p, err := s.Start(Command{Path: "/bin/sh", Args: []string{"sh", "-c", script, ready}, Dir: "/", Env: os.Environ(), Log: log})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Suspend(); err == nil {
		t.Error("a process that is not waited for was suspended")
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	done := make(chan Exit, 1)
	go func() {
		exit, err := p.Wait(ctx, Limits{Stop: time.Minute})
		if err != nil {
			t.Error(err)
		}
		done <- exit
	}()
	var child string
	await(t, func() bool { b, err := os.ReadFile(ready); child = strings.TrimSpace(string(b)); return err == nil })
	both := []string{strconv.Itoa(p.pid), child}
	for range 2 {
		await(t, func() bool { return p.Suspend() == nil }) // Wait may not have begun
		if !stopped(both[0]) || !stopped(both[1]) {
			t.Error("it returned before all of the tree stood")
		}
		if err := p.Resume(); err != nil {
			t.Fatal(err)
		}
		await(t, func() bool { return !stopped(both[0]) && !stopped(both[1]) })
	}
	if p.Ended() {
		t.Error("it counts as ended")
	}
	if err := p.Suspend(); err != nil {
		t.Fatal(err)
	}
	stop()
	if exit := <-done; exit.Status != 3 {
		t.Errorf("%+v: it did not see the TERM", exit)
	}
	if err := p.Suspend(); err == nil || !p.Ended() {
		t.Errorf("after its end: %v, ended %v", err, p.Ended())
	}
	if _, err := log.Close(); err != nil {
		t.Error(err)
	}
}

// stopped asks ps, which Linux and macOS both have.
func stopped(pid string) bool {
	out, err := exec.Command("ps", "-o", "stat=", "-p", pid).Output()
	return err == nil && strings.HasPrefix(strings.TrimSpace(string(out)), "T")
}

func await(t *testing.T, what func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !what(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it did not come about")
		}
	}
}
