package faults

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// memoryGroup is a control group of processes that may have so many bytes of memory together.
func memoryGroup(t *testing.T, name string, most int) string {
	t.Helper()
	var why error
	for _, place := range []struct{ root, limit string }{
		{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"}, {"/sys/fs/cgroup", "memory.max"},
	} {
		group := filepath.Join(place.root, name)
		if err := os.Mkdir(group, 0o755); err != nil {
			why = errors.Join(why, err)
			continue
		}
		t.Cleanup(func() { _ = os.Remove(group) }) // a process that is still ending keeps it
		if err := os.WriteFile(filepath.Join(group, place.limit), []byte(strconv.Itoa(most)), 0o600); err != nil {
			why = errors.Join(why, err)
			continue
		}
		return group
	}
	t.Skipf("SKIPPED: no control group with a limit can be made: %v", why)
	return ""
}

// within gives a process of the command that enters the control group before it begins.
func (h *home) within(t *testing.T, group string, args ...string) *run {
	t.Helper()
	r := h.prepared(t)
	line := []string{"sh", "-c", `echo $$ > "$0/cgroup.procs"; exec "$@"`, group, filepath.Join(h.dir, "failrate")}
	r.cmd.Path, r.cmd.Args = "/bin/sh", append(line, args...)
	h.begin(t, r)
	return r
}

const hogStudy = `study: hog
subject:
  dir: tree
  image: {name: scratch}
  command: [./subject, hog, "600"]
  env: {FAULTS_MARK: $MARK}
  limits: {memory: 64MiB}
baseline: a
variants: {a: {}}
platforms: [PLATFORM]
stress: {none: {}}
iterations: 2
classes:
  - {class: reset, match: connection reset by peer}
`

// TestSubjectOutOfMemory: a subject that the kernel ends for want of memory is broken, though its last words have a class.
func TestSubjectOutOfMemory(t *testing.T) {
	t.Parallel()
	for _, s := range []shape{native, fresh} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			if s.platform == "container" {
				needEngine(t)
			}
			shared.score.point(t, "machine: subject out of memory")
			h := newHome(t)
			h.write(t, strings.Replace(hogStudy, "PLATFORM", s.platform, 1))
			var r *run
			if s.platform == "native" {
				r = h.within(t, memoryGroup(t, h.mark, 300<<20), beginArgs()...)
			} else {
				r = h.start(t, beginArgs()...)
			}
			if status := r.wait(t, patience); status != 4 || !strings.Contains(r.stderr.String(), "memory") {
				t.Errorf("exit status %d\n%s", status, r.stderr.String())
			}
			ended := 0
			for _, rec := range records(t, h.journal()) {
				if rec.Type != "finished" {
					continue
				}
				if ended++; rec.Judgement.Outcome != "broken" || !strings.Contains(rec.Judgement.Reason, "memory") {
					t.Errorf("%s is %s of class %q: %s", rec.ID, rec.Judgement.Outcome, rec.Judgement.Class, rec.Judgement.Reason)
				}
			}
			if ended < 2 {
				t.Errorf("%d attempts ended", ended)
			}
		})
	}
}

// TestHarnessOutOfMemory gives the harness too little memory to live long. Its campaign goes on when there is enough.
func TestHarnessOutOfMemory(t *testing.T) {
	t.Parallel()
	shared.score.point(t, "machine: harness out of memory")
	var undisturbed reference
	undisturbed.run(t, native)
	k := &killed{home: native.home(t), shape: native, whole: undisturbed.lasts}
	killed := 0
	for _, most := range []int{14, 16, 18, 20, 22, 24, 28, 32} { // megabytes; which of them lets it begin depends on the kernel
		r := k.within(t, memoryGroup(t, k.mark+"-"+strconv.Itoa(most), most<<20), k.args(t)...)
		status := r.wait(t, patience)
		if status == -1 {
			killed++
		}
		t.Logf("with %d MB: exit status %d, %d bytes of journal", most, status, len(k.journal()))
		k.grown(t)
		if len(k.journal()) > 0 {
			k.asTheyMust(t)
		}
		if status == 0 {
			break
		}
	}
	if killed == 0 {
		t.Error("it was never killed: this is no point")
	}
	k.run(t, nil)
	k.once(t)
	if k.table != undisturbed.table {
		t.Errorf("the table is\n%s\nand undisturbed it is\n%s", k.table, undisturbed.table)
	}
}
