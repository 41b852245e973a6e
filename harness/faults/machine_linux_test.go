package faults

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// machineFault is a want of the machine's that sets in while a campaign runs, and passes.
type machineFault struct {
	name string
	size string // of the disk that results are on, for mount
	on   func(dir string) error
	off  func(dir string) error
}

// TestDiskFaults takes the disk away from a campaign once half of its trials are on record. It stops with a reason, keeps
// what had ended, and goes on to the same table when the disk is back.
func TestDiskFaults(t *testing.T) {
	t.Parallel()
	var undisturbed reference
	undisturbed.run(t, native)
	filler := func(dir string) string { return filepath.Join(dir, "filler") }
	for _, fault := range []machineFault{
		{name: "disk full", size: "512k",
			on: func(dir string) error {
				return exec.Command("sh", "-c", `cat /dev/zero > "$1" 2>/dev/null; cat /dev/zero >> "$1" 2>/dev/null; true`, "sh", filler(dir)).Run()
			},
			off: func(dir string) error { return os.Remove(filler(dir)) }},
		{name: "disk without inodes", size: "8m,nr_inodes=24",
			on: func(dir string) error {
				return exec.Command("sh", "-c", `mkdir "$1"; i=0; while touch "$1/$i" 2>/dev/null; do i=$((i+1)); done; true`, "sh", filler(dir)).Run()
			},
			off: func(dir string) error { return os.RemoveAll(filler(dir)) }},
	} {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			shared.score.point(t, "machine: "+fault.name)
			h := native.home(t)
			disk := filepath.Join(h.dir, "results")
			if err := os.Mkdir(disk, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := unix.Mount("failrate-faults", disk, "tmpfs", 0, "size="+fault.size); err != nil {
				t.Skipf("SKIPPED: a disk cannot be mounted: %v", err)
			}
			h.disk = disk
			r := h.start(t, beginArgs()...)
			if !h.awaitStarted(r, native.trials()/2) {
				t.Fatalf("it ended before the fault: %s", r.stderr.String())
			}
			if err := fault.on(disk); err != nil {
				t.Fatal(err)
			}
			status := r.wait(t, patience)
			if status != 0 && status != 4 && status != 7 {
				t.Errorf("exit status %d\n%s", status, r.stderr.String())
			}
			if status == 4 && !strings.Contains(r.stderr.String(), "--resume") {
				t.Errorf("it does not say how to go on:\n%s", r.stderr.String())
			}
			before := whole(h.journal())
			h.asTheyMust(t)
			if err := fault.off(disk); err != nil {
				t.Fatal(err)
			}
			folder, err := filepath.Rel(h.dir, h.folders()[0])
			if err != nil {
				t.Fatal(err)
			}
			table := stable(t, h.failrate(t, 0, resumeArgs(folder)...))
			if !strings.HasPrefix(string(h.journal()), string(before)) {
				t.Error("what was on record changed")
			}
			if table != undisturbed.table {
				t.Errorf("when the disk is back the table is\n%s\nand undisturbed it is\n%s", table, undisturbed.table)
			}
		})
	}
}

// TestReadOnlyResults: a campaign whose results cannot be written down does not begin, says so, and leaves nothing.
func TestReadOnlyResults(t *testing.T) {
	t.Parallel()
	shared.score.point(t, "machine: disk read-only")
	h := native.home(t)
	disk := filepath.Join(h.dir, "results")
	if err := os.Mkdir(disk, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("failrate-faults", disk, "tmpfs", unix.MS_RDONLY, "size=1m"); err != nil {
		t.Skipf("SKIPPED: a disk cannot be mounted: %v", err)
	}
	h.disk = disk
	r := h.start(t, beginArgs()...)
	if status, text := r.wait(t, patience), r.stderr.String(); status == 0 || !strings.Contains(text, "read-only file system") || !strings.Contains(text, "results/") {
		t.Errorf("exit status %d\n%s", status, text)
	}
	if ran, err := os.ReadFile(filepath.Join(h.dir, "ran.log")); err == nil {
		t.Errorf("trials ran that nothing is on record of: %s", ran)
	}
}

// TestFewFiles gives the harness too few file descriptors: it does what it can and says what it could not, and no trial
// ends otherwise than it must.
func TestFewFiles(t *testing.T) {
	t.Parallel()
	for _, n := range []string{"12", "16", "24"} {
		t.Run(n, func(t *testing.T) {
			t.Parallel()
			shared.score.point(t, "machine: few file descriptors")
			h := native.home(t)
			r := h.prepared(t)
			r.cmd.Path, r.cmd.Args = "/bin/sh", append([]string{"sh", "-c", `ulimit -n ` + n + `; exec "$0" "$@"`, filepath.Join(h.dir, "failrate")}, beginArgs()...)
			h.begin(t, r)
			if status := r.wait(t, patience); status != 0 && r.stderr.Len() == 0 {
				t.Errorf("exit status %d without a word", status)
			}
			if len(h.folders()) > 0 {
				h.asTheyMust(t)
			}
		})
	}
}

// TestFewProcesses lets nothing start any more while a campaign runs: what could not be started is broken, never a
// failure. The harness itself may not get the thread it wants and die of it; its campaign goes on all the same.
func TestFewProcesses(t *testing.T) {
	t.Parallel()
	shared.score.point(t, "machine: out of processes")
	h := newHome(t)
	// A subject that did start and then gets no thread fails by itself, and only its study can tell that apart.
	h.write(t, strings.Replace(native.study(), "classes:\n", "classes:\n  - {broken: true, match: failed to create new OS thread}\n", 1))
	group := filepath.Join("/sys/fs/cgroup/pids", h.mark)
	if err := os.Mkdir(group, 0o755); err != nil {
		t.Skipf("SKIPPED: no group of processes can be made: %v", err)
	}
	t.Cleanup(func() { _ = os.Remove(group) })
	r := h.prepared(t)
	r.cmd.Path, r.cmd.Args = "/bin/sh", append([]string{"sh", "-c", `echo $$ > "$0/cgroup.procs"; exec "$@"`, group, filepath.Join(h.dir, "failrate")}, beginArgs()...)
	h.begin(t, r)
	if !h.awaitStarted(r, native.trials()/4) {
		t.Fatalf("it ended before the fault: %s", r.stderr.String())
	}
	if err := os.WriteFile(filepath.Join(group, "pids.max"), []byte("1"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status := r.wait(t, patience); status == 0 {
		t.Error("the campaign is complete though nothing could start")
	}
	h.asTheyMust(t)
	folder, err := filepath.Rel(h.dir, h.folders()[0])
	if err != nil {
		t.Fatal(err)
	}
	again := h.start(t, resumeArgs(folder)...)
	if status := again.wait(t, patience); status != 0 && status != 4 && status != 7 {
		t.Errorf("it cannot go on: exit status %d\n%s", status, again.stderr.String())
	}
	h.asTheyMust(t)
}
