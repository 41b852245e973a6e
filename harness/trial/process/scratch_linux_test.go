package process

import (
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestScratchCanBeExecutedIn mounts a temporary folder without execution, in a mount namespace of one thread's own,
// which ends with the thread.
func TestScratchCanBeExecutedIn(t *testing.T) { // sets the environment, so it is not parallel
	temp, cache := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("XDG_CACHE_HOME", cache)
	if got := defaultScratch(); got != temp {
		t.Errorf("scratch in %s, want the temporary folder %s", got, temp)
	}
	got, err := make(chan string, 1), make(chan error, 1)
	go func() {
		runtime.LockOSThread() // and never unlocked
		e := unix.Unshare(unix.CLONE_NEWNS)
		if e == nil {
			e = unix.Mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
		}
		if e == nil {
			e = unix.Mount("tmpfs", temp, "tmpfs", unix.MS_NOEXEC, "size=64k")
		}
		err <- e
		got <- defaultScratch()
	}()
	if e := <-err; e != nil {
		t.Skipf("SKIPPED for want of the right to mount: %v", e)
	}
	if dir, want := <-got, filepath.Join(cache, "failrate", "scratch"); dir != want {
		t.Errorf("scratch in %s, want %s", dir, want)
	}
}
