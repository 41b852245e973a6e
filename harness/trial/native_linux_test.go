package trial_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/failrate/failrate/harness/trial"
)

// A disk that is full is the machine's fault, and the subject does not even notice it.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	disk := t.TempDir()
	if err := unix.Mount("failrate-test", disk, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("SKIPPED: a small file system cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(disk, 0); err != nil {
			t.Error(err)
		}
	})
	n := newNative(t, trial.NativeOptions{})
	const loud = "dd if=/dev/zero bs=64k count=64 2>/dev/null || touch noticed; sleep 600"
	_, o := n.shell(t, loud, func(r *trial.Request) { r.Out.Log = filepath.Join(disk, "log") })
	if !strings.Contains(o.Fault, "no space left on device") || o.Exit != -1 || o.Limit {
		t.Errorf("%+v, want a fault", o)
	}
	if _, err := os.Stat(filepath.Join(n.tree, "noticed")); err == nil {
		t.Error("the subject was told")
	}
	_, o = n.shell(t, "true", func(r *trial.Request) { r.Out.Log = filepath.Join(disk, "log") })
	if o.Fault != "" || o.Exit != 0 {
		t.Errorf("%+v, want success of a trial that needs no disk", o)
	}
	_, o = n.shell(t, loud, func(r *trial.Request) { // what is kept fits
		r.Command = []string{"dd if=/dev/zero bs=64k count=1000 2>/dev/null"}
		r.Out.Log, r.MaxOutput = filepath.Join(disk, "log"), 500_000
	})
	if o.Fault != "" || o.Exit != 0 || o.Output.Bytes != 64<<10*1000 {
		t.Errorf("%+v, want 64 MB of output on a disk of 1 MB", o)
	}
}

// Until its exec a program shares our memory, and Linux counts that as its own: only what is above ours is told.
func TestPeakMemory(t *testing.T) {
	t.Parallel()
	n := newNative(t, trial.NativeOptions{})
	ours := make([]byte, 64<<20)
	for i := range ours {
		ours[i] = 1
	}
	if _, o := n.shell(t, "exit 0"); o.MaxRSS > 50<<20 {
		t.Errorf("peak memory %d of a small program", o.MaxRSS)
	}
	runtime.KeepAlive(ours)
	var own unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &own); err != nil {
		t.Fatal(err)
	}
	needed := own.Maxrss>>10 + 300 // MiB, room for other tests to grow
	_, o := n.shell(t, fmt.Sprintf("exec dd if=/dev/zero of=/dev/null bs=%dM count=1 2>/dev/null", needed))
	if o.Exit != 0 || o.MaxRSS < needed<<20 || o.MaxRSS > (needed+100)<<20 {
		t.Errorf("peak memory %d of a program that needs %d MiB; %+v", o.MaxRSS, needed, o)
	}
}

// Attempts leave no descriptor, goroutine, thread or folder. Not parallel: other tests have their own.
func TestNothingAccumulates(t *testing.T) {
	n := newNative(t, trial.NativeOptions{})
	count := func() (files, goroutines int) {
		fds, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(fds), runtime.NumGoroutine()
	}
	attempts := func(many int) {
		for range many {
			if _, o := n.shell(t, "true"); o.Exit != 0 || o.Fault != "" {
				t.Fatalf("%+v", o)
			}
			if _, o := n.shell(t, "", func(r *trial.Request) { r.Command, r.Shell = []string{"none"}, false }); o.Fault == "" {
				t.Fatalf("%+v", o)
			}
			if _, o := n.shell(t, "echo x; sleep 600 & exit 1"); o.Exit != 1 || o.Fault != "" || len(o.Leaked) != 1 {
				t.Fatalf("%+v", o)
			}
		}
	}
	attempts(3)
	files, goroutines := count()
	attempts(30)
	moreFiles, moreGoroutines := count()
	for tries := 0; tries < 1000 && moreGoroutines > goroutines; tries++ { // one that has done its work may not be gone yet
		runtime.Gosched()
		moreFiles, moreGoroutines = count()
	}
	if moreFiles > files || moreGoroutines > goroutines {
		t.Errorf("%d descriptors and %d goroutines became %d and %d", files, goroutines, moreFiles, moreGoroutines)
	}
}

// Attempts at the same time are each told their own leftovers.
func TestNeighboursLeftovers(t *testing.T) {
	t.Parallel()
	n := newNative(t, trial.NativeOptions{})
	for i := range 4 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			mine := n
			mine.out = t.TempDir()
			for range 5 {
				_, o := mine.shell(t, strings.Repeat("(setsid sleep 600 &) ; ", i)+"exit 0")
				if len(o.Leaked) != i || o.Fault != "" {
					t.Errorf("leaked %q, want %d; %+v", o.Leaked, i, o)
				}
			}
		})
	}
}
