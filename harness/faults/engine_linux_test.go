package faults

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/client"
	"golang.org/x/sys/unix"
)

// ownEngine is a Docker Engine of this test alone, which may be killed, restarted and filled up. It has a network
// namespace of its own, so that it does not touch the networks of the machine's engine.
type ownEngine struct {
	dir    string
	cmd    *exec.Cmd
	ended  chan struct{}
	client *client.Client
}

// newOwnEngine starts one with its files in a folder.
func newOwnEngine(t *testing.T, dir string) *ownEngine {
	t.Helper()
	needEngine(t)
	if _, err := exec.LookPath("dockerd"); err != nil || os.Geteuid() != 0 {
		if os.Getenv("REQUIRE_DOCKER") != "" {
			t.Fatalf("REQUIRE_DOCKER is set, but an engine of the test's own cannot be started: %v, user %d", err, os.Geteuid())
		}
		t.Skipf("SKIPPED: an engine of the test's own needs dockerd and root: %v, user %d", err, os.Geteuid())
	}
	e := &ownEngine{dir: dir}
	c, err := client.NewClientWithOpts(client.WithHost(e.host()), client.WithAPIVersionNegotiation())
	if err != nil {
		t.Fatal(err)
	}
	e.client = c
	t.Cleanup(func() { e.stop(t) })
	e.start(t)
	return e
}

func (e *ownEngine) host() string { return "unix://" + filepath.Join(e.dir, "s") }

// start starts the daemon and waits until it answers.
func (e *ownEngine) start(t *testing.T) {
	t.Helper()
	in := func(name string) string { return filepath.Join(e.dir, name) }
	log, err := os.OpenFile(in("log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	_ = os.Remove(in("pid")) // of one that was killed
	e.cmd = exec.Command("dockerd", "--bridge", "none", "--iptables=false", "--ip6tables=false", "--data-root", in("root"),
		"--exec-root", in("exec"), "--pidfile", in("pid"), "-H", e.host())
	e.cmd.Stdout, e.cmd.Stderr = log, log
	e.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Cloneflags: unix.CLONE_NEWNET}
	if err := e.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	e.ended = ended
	go func(c *exec.Cmd) { _ = c.Wait(); close(ended) }(e.cmd)
	for end := time.Now().Add(patience); ; {
		if _, err := e.client.Ping(t.Context()); err == nil {
			return
		}
		select {
		case <-ended:
			text, _ := os.ReadFile(in("log"))
			t.Fatalf("the engine ended:\n%s", text[max(0, len(text)-2000):])
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(end) {
			t.Fatal("the engine does not answer")
		}
	}
}

// kill kills the daemon and its containerd, and not the containers.
func (e *ownEngine) kill() {
	_ = e.cmd.Process.Kill()
	<-e.ended
	path := filepath.Join(e.dir, "exec", "containerd", "containerd.pid")
	text, err := os.ReadFile(path)
	if err != nil {
		return
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid < 2 {
		return
	}
	_ = unix.Kill(pid, unix.SIGKILL)
	for alive(pid) {
		time.Sleep(time.Millisecond) // it is no child of ours, so nothing tells us
	}
	_ = os.Remove(path) // or the next daemon takes a process that nobody reaped for a living one
}

// alive reports whether a process is there and not just waiting to be reaped.
func alive(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(text), ") ")
	return err == nil && !strings.HasPrefix(rest, "Z")
}

// stop ends the daemon and everything it started.
func (e *ownEngine) stop(t *testing.T) {
	_ = e.client.Close()
	if e.cmd == nil {
		return
	}
	_ = e.cmd.Process.Signal(unix.SIGTERM)
	timer := time.NewTimer(30 * time.Second)
	defer timer.Stop()
	select {
	case <-e.ended:
	case <-timer.C:
		e.kill()
	}
	for _, pid := range e.processes() { // a killed daemon's containerd and shims
		_ = unix.Kill(pid, unix.SIGKILL)
	}
	mounts, _ := os.ReadFile("/proc/self/mountinfo")
	for line := range strings.Lines(string(mounts)) {
		if f := strings.Fields(line); len(f) > 4 && strings.HasPrefix(f[4], e.dir+"/") {
			_ = unix.Unmount(f[4], unix.MNT_DETACH)
		}
	}
	if left := e.processes(); len(left) > 0 {
		t.Logf("still ending: %v", left)
	}
}

// processes are those whose command line names the engine's folder.
func (e *ownEngine) processes() (pids []int) {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range lines {
		text, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(text), e.dir+"/") && !strings.Contains(string(text), "failrate") {
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// engineFault is something that happens to the engine, or to what it holds, while a campaign runs.
type engineFault struct {
	name string
	own  bool // needs an engine of the test's own
	do   func(t *testing.T, e *ownEngine, harness int)
}

// TestEngineFaults strikes a campaign once a trial is running, and twice more. No trial ends otherwise than it must by its
// number: what the engine did is broken and run again, or stops the campaign with a reason. Nothing is left when the
// engine is well again.
func TestEngineFaults(t *testing.T) {
	t.Parallel()
	for _, fault := range []engineFault{
		{name: "container removed by somebody else", do: removeContainers},
		{name: "prepared image removed", do: removeImages},
		{name: "daemon killed and started again", own: true, do: func(t *testing.T, e *ownEngine, _ int) { e.kill(); e.start(t) }},
		{name: "daemon's disk full", own: true, do: fillDisk},
	} {
		for _, s := range []shape{fresh, warm} {
			if s.name == warm.name && !long() && fault.own {
				continue
			}
			t.Run(fault.name+"/"+s.name, func(t *testing.T) {
				t.Parallel()
				kind := "engine: " + fault.name
				shared.score.point(t, kind)
				struck(t, fault, s, kind)
			})
		}
	}
}

func struck(t *testing.T, fault engineFault, s shape, kind string) {
	h := s.home(t)
	e := &ownEngine{client: shared.docker}
	if fault.own {
		dir, err := os.MkdirTemp("", "fr") // a socket's path must be short
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		mountSmall(t, dir)
		e = newOwnEngine(t, dir)
	}
	begun := time.Now()
	r := h.prepared(t, beginArgs()...)
	if fault.own {
		r.cmd.Env = append(r.cmd.Env, "DOCKER_HOST="+e.host())
	}
	h.begin(t, r)
	for strike := 1; strike <= 3; strike++ {
		if !h.awaitStarted(r, 2*strike) {
			break
		}
		fault.do(t, e, r.cmd.Process.Pid)
	}
	status := r.wait(t, 2*patience)
	shared.score.took(kind, time.Since(begun))
	if status != 0 && status != 4 && status != 7 { // 7: a control whose trials are broken does not hold
		t.Errorf("exit status %d\n%s", status, r.stderr.String())
	}
	if status == 4 && !strings.Contains(r.stderr.String(), "broken") {
		t.Errorf("the campaign stopped without saying why:\n%s", r.stderr.String())
	}
	h.asTheyMust(t)
	if fault.own {
		clean := h.prepared(t, "clean")
		clean.cmd.Env = append(clean.cmd.Env, "DOCKER_HOST="+e.host())
		h.begin(t, clean)
		if status := clean.wait(t, patience); status != 0 {
			t.Errorf("clean: exit status %d\n%s", status, clean.stderr.String())
		}
		left, err := e.client.ContainerList(t.Context(), container.ListOptions{All: true})
		if err != nil || len(left) > 0 {
			t.Errorf("left in the engine: %v, %v", left, err)
		}
	}
}

// awaitStarted waits until so many attempts were started, and reports whether that came before the harness ended.
func (h *home) awaitStarted(r *run, n int) bool {
	for strings.Count(string(h.journal()), `{"type":"started"`) < n {
		if r.endsWithin(200 * time.Microsecond) {
			return false
		}
	}
	return true
}

func removeContainers(t *testing.T, e *ownEngine, harness int) {
	own := filters.NewArgs(filters.Arg("label", fmt.Sprintf("%s=%d", harnessLabel, harness)))
	list, err := e.client.ContainerList(t.Context(), container.ListOptions{All: true, Filters: own})
	if err != nil {
		t.Error(err)
	}
	for _, c := range list {
		_ = e.client.ContainerRemove(t.Context(), c.ID, container.RemoveOptions{Force: true}) // it may have gone by itself
	}
}

func removeImages(t *testing.T, e *ownEngine, harness int) {
	own := filters.NewArgs(filters.Arg("label", fmt.Sprintf("%s=%d", harnessLabel, harness)))
	list, err := e.client.ImageList(t.Context(), image.ListOptions{All: true, Filters: own})
	if err != nil {
		t.Error(err)
	}
	for _, i := range list {
		_, _ = e.client.ImageRemove(t.Context(), i.ID, image.RemoveOptions{Force: true, PruneChildren: true})
	}
}

// mountSmall gives an engine a small disk of its own.
func mountSmall(t *testing.T, dir string) {
	t.Helper()
	if err := unix.Mount("failrate-faults", dir, "tmpfs", 0, "size=256m"); err != nil {
		if os.Getenv("REQUIRE_DOCKER") != "" {
			t.Fatalf("REQUIRE_DOCKER is set, but a small disk cannot be mounted: %v", err)
		}
		t.Skipf("SKIPPED: a small disk cannot be mounted: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
}

// fillDisk leaves no byte on the engine's disk, and makes room again at the third strike.
func fillDisk(t *testing.T, e *ownEngine, _ int) {
	path := filepath.Join(e.dir, "root", "filler")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close()
	for block := make([]byte, 1<<20); len(block) > 0; {
		if _, err := f.Write(block); err != nil {
			if !errors.Is(err, unix.ENOSPC) {
				t.Error(err)
			}
			block = block[:len(block)/2]
		}
	}
	context.AfterFunc(t.Context(), func() { _ = os.Remove(path) })
}
