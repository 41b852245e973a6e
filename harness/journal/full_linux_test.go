package journal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/failrate/failrate/harness/plan"
)

// A file system that is really full. Mounting one needs root.
func TestFullFileSystem(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mount("failrate", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("SKIPPED: no tmpfs of 64 KB can be mounted (%v): run as root for this test", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	campaign := filepath.Join(dir, "c")
	w, err := Create(campaign, testHeader(1000))
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; err == nil && n <= 1000; n++ {
		err = w.Start(Started{ID: plan.TrialID("a/native/none", n)})
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("a thousand records on 64 KB: %v", err)
	}
	if err := w.Close(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Close: %v", err)
	}
	if _, stats, err := texts(read(t, campaign)); err != nil || stats.Torn > 0 || stats.Records < 100 {
		t.Errorf("%d records, %d bytes torn, %v", stats.Records, stats.Torn, err)
	}
	f, err := os.OpenFile(filepath.Join(campaign, FileName), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = f.WriteString(lineOpen + strings.Repeat("x", 5000)) // as much of a torn record as there is room for
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	before := read(t, campaign)
	if _, _, err := Open(campaign); err == nil {
		t.Error("Open took a journal that it could not repair")
	}
	if string(read(t, campaign)) != string(before) {
		t.Error("a repair that could not keep the torn end cut it off")
	}
	if err := syscall.Mount("failrate", dir, "tmpfs", syscall.MS_REMOUNT, "size=1m"); err != nil {
		t.Fatal(err)
	}
	w, _, err = Open(campaign)
	if err != nil {
		t.Fatalf("with room again: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
