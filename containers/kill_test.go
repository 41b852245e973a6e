package containers

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/network"
	"golang.org/x/sys/unix"

	"github.com/failrate/failrate/harness/service"
	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
)

// harnessVariable tells this program, started again, to be the harness that a test kills.
const harnessVariable = "FAILRATE_TEST_HARNESS"

// harness is such a process's orders.
type harness struct {
	Session  string
	Sessions string // folder in which its session file is locked; empty means that it has none
	Folder   string
	Image    Image
	Owner    *Owner // whom its containers belong to; nil means itself
	Services bool   // its trial has a service
}

// holds are the names of what it runs.
func (h harness) holds() []string {
	if h.Services {
		return []string{"services"}
	}
	return []string{string(study.ContainerFresh), string(study.ContainerWarm)}
}

// runHarness holds a trial of each isolation until stdin ends, then cleans up as every harness does.
func runHarness() bool {
	var h harness
	text := os.Getenv(harnessVariable)
	if text == "" {
		return false
	}
	if err := json.Unmarshal([]byte(text), &h); err != nil {
		panic(err)
	}
	if h.Sessions != "" {
		f, err := os.Create(filepath.Join(h.Sessions, h.Session+sessionSuffix))
		if err != nil {
			panic(err)
		}
		defer f.Close()
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
			panic(err)
		}
	}
	e, err := Connect(context.Background(), ConnectOptions{})
	if err != nil {
		panic(err)
	}
	owner := Self(h.Session)
	if h.Owner != nil {
		owner = *h.Owner
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	var running sync.WaitGroup
	for _, name := range h.holds() {
		images := map[string]Image{"a": h.Image}
		burst := filepath.Join(h.Folder, name)
		r := trial.Request{ID: "held", Variant: "a", Command: []string{"./hostile", "touch=$FAILRATE_BURST", "sleep="},
			Burst: true, Out: trial.Output{Log: burst + ".log", Burst: burst}}
		running.Go(func() {
			var err error
			if h.Services {
				x, s := New(Options{Engine: e, Images: images, Owner: owner}), NewServices(ServiceOptions{Engine: e, Images: images, Owner: owner})
				around := service.New(x, s)
				r.Services = []study.Service{{Name: "node", Command: []string{"hostile", "print=ready", "sleep="}, Ready: study.Ready{Log: "ready", Timeout: patience}, Death: study.DeathBroken}}
				around.Execute(ctx, r)
				err = errors.Join(around.Close(), s.Close(), x.Close())
			} else {
				x := New(Options{Engine: e, Images: images, Isolation: study.ContainerIsolation(name), Owner: owner})
				x.Execute(ctx, r)
				err = x.Close()
			}
			if err != nil {
				panic(err)
			}
		})
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	cancel(trial.ErrKillNow)
	running.Wait()
	fmt.Println("clean")
	return true
}

// startHarness starts one and waits until both of its trials run.
func startHarness(t *testing.T, h harness) (c *exec.Cmd, in io.Closer, out *bufio.Reader) {
	t.Helper()
	text, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	c = exec.Command(os.Args[0], "-test.run=^$")
	c.Env = append(os.Environ(), harnessVariable+"="+string(text))
	c.Stderr = os.Stderr
	stdin, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	for _, name := range h.holds() {
		awaitFile(t, filepath.Join(h.Folder, name))
	}
	return c, stdin, bufio.NewReader(stdout)
}

// TestKilledHarness kills a harness by SIGKILL and requires that a sweep removes what it left, and nothing else: not
// what another harness is using, and not what somebody made by hand of a prepared image.
func TestKilledHarness(t *testing.T) {
	t.Parallel()
	e := needEngine(t)
	for _, withFile := range []bool{true, false} {
		t.Run(fmt.Sprintf("session-file-%t", withFile), func(t *testing.T) {
			t.Parallel()
			img := hostile(t, e)["a"]
			sessions := t.TempDir()
			start := func(name string) (harness, *exec.Cmd, io.Closer, *bufio.Reader) {
				h := harness{Session: shared.owner.Session + "-" + name, Folder: t.TempDir(), Image: img}
				if withFile {
					h.Session += "-file"
					h.Sessions = sessions
				}
				c, in, out := startHarness(t, h)
				return h, c, in, out
			}
			doomed, c, _, _ := start("doomed")
			living, _, in, out := start("living")
			before := leftovers(Owner{Session: living.Session})
			if len(before) != 3 || len(leftovers(Owner{Session: doomed.Session})) != 3 {
				t.Fatalf("%q, want a trial, a warm one and a holder each", before)
			}
			if err := c.Process.Signal(unix.SIGKILL); err != nil {
				t.Fatal(err)
			}
			_ = c.Wait()
			swept, err := Sweep(t.Context(), e, SweepOptions{Sessions: sessions, Dry: true})
			if err != nil || !slices.ContainsFunc(swept.Containers, func(s string) bool { return strings.HasPrefix(s, "failrate-trial-") }) {
				t.Errorf("dry: %+v, %v; want the trial at least, which nothing but a sweep removes", swept, err)
			}
			if len(leftovers(Owner{Session: doomed.Session})) == 0 {
				t.Error("a dry sweep removed something")
			}
			if _, err := Sweep(t.Context(), e, SweepOptions{Sessions: sessions}); err != nil {
				t.Error(err)
			}
			if left := leftovers(Owner{Session: doomed.Session}); len(left) > 0 {
				t.Errorf("left after the sweep: %q", left)
			}
			if now := leftovers(Owner{Session: living.Session}); !slices.Equal(now, before) {
				t.Errorf("the living one had %q and has %q", before, now)
			}
			in.Close()
			if line, err := out.ReadString('\n'); line != "clean\n" {
				t.Errorf("%q, %v", line, err)
			}
			if left := leftovers(Owner{Session: living.Session}); len(left) > 0 {
				t.Errorf("left by the one that ended well: %q", left)
			}
		})
	}
}

// TestKilledHarnessWithServices requires that a sweep removes services and their network too, which do not end with their
// harness, and that a harness that is stopped leaves none.
func TestKilledHarnessWithServices(t *testing.T) {
	t.Parallel()
	e := needEngine(t)
	img := hostile(t, e)["a"]
	networksOf := func(h harness) []network.Summary {
		list, err := e.cli.NetworkList(t.Context(), network.ListOptions{Filters: ownedBy(Owner{Session: h.Session})})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	start := func(name string) (harness, *exec.Cmd, io.Closer, *bufio.Reader) {
		h := harness{Session: shared.owner.Session + "-serving-" + name, Folder: t.TempDir(), Image: img, Services: true}
		c, in, out := startHarness(t, h)
		if list := leftovers(Owner{Session: h.Session}); len(list) != 3 || len(networksOf(h)) != 1 {
			t.Fatalf("%q, %v; want a trial, a service and a gate on a network", list, networksOf(h))
		}
		return h, c, in, out
	}
	doomed, c, _, _ := start("doomed")
	living, _, in, out := start("living")
	if err := c.Process.Signal(unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	if _, err := Sweep(t.Context(), e, SweepOptions{Sessions: t.TempDir()}); err != nil {
		t.Error(err)
	}
	if left := leftovers(Owner{Session: doomed.Session}); len(left) > 0 || len(networksOf(doomed)) > 0 {
		t.Errorf("left after the sweep: %q, %v", left, networksOf(doomed))
	}
	if now := leftovers(Owner{Session: living.Session}); len(now) != 3 || len(networksOf(living)) != 1 {
		t.Errorf("the living one has %q, %v", now, networksOf(living))
	}
	in.Close()
	if line, err := out.ReadString('\n'); line != "clean\n" {
		t.Errorf("%q, %v", line, err)
	}
	if left := leftovers(Owner{Session: living.Session}); len(left) > 0 || len(networksOf(living)) > 0 {
		t.Errorf("left by the one that ended well: %q, %v", left, networksOf(living))
	}
}

// TestEndsWithHarness requires that every container ends by itself when its harness is killed, and that all but the
// trial's, whose state may be asked for, are then gone. They belong to the living test, so that no sweep of anybody who
// uses this engine takes them for leftovers: a container that another one removed would prove nothing.
func TestEndsWithHarness(t *testing.T) {
	t.Parallel()
	e := needEngine(t)
	owner := Self(shared.owner.Session + "-alone")
	t.Cleanup(func() {
		for _, c := range containersOf(t, e, owner, true) {
			if err := e.discard(context.Background(), c.ID); err != nil {
				t.Error(err)
			}
		}
	})
	c, _, _ := startHarness(t, harness{Session: owner.Session, Folder: t.TempDir(), Image: hostile(t, e)["a"], Owner: &owner})
	if list := leftovers(owner); len(list) != 3 {
		t.Fatalf("%q, want a trial, a warm one and a holder", list)
	}
	if err := c.Process.Signal(unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	awaitTrue(t, func() bool {
		left := leftovers(owner)
		return len(left) == 1 && strings.HasPrefix(left[0], kindTrial) && len(containersOf(t, e, owner, false)) == 0
	})
}

func containersOf(t *testing.T, e *Engine, o Owner, all bool) []container.Summary {
	t.Helper()
	list, err := e.cli.ContainerList(context.Background(), container.ListOptions{All: all, Filters: ownedBy(o)})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestSweepImages(t *testing.T) {
	t.Parallel()
	e := needEngine(t)
	of := func(o Owner) Image {
		img, err := e.Prepare(t.Context(), PrepareOptions{
			Image: study.Image{Name: "scratch"}, Tree: plant(t, t.TempDir(), map[string]string{"x": o.Session}), Agent: shared.agent, Owner: o,
		})
		if err != nil {
			t.Fatal(err)
		}
		return img
	}
	another, dead := shared.owner, shared.owner
	another.Session += "-another"
	dead.Session, dead.PIDStart = dead.Session+"-dead", "never"
	mine, theirs, gone := of(shared.owner), of(another), of(dead)
	defer removeImages(another)
	exists := func(i Image) bool { _, err := e.inspectImage(t.Context(), i.ID); return err == nil }
	if _, err := Sweep(t.Context(), e, SweepOptions{Sessions: t.TempDir()}); err != nil || !exists(gone) {
		t.Errorf("a sweep that was not asked to removed an image, or %v", err)
	}
	open := t.TempDir()
	f, err := os.Create(filepath.Join(open, "x"+sessionSuffix))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if _, err := Sweep(t.Context(), e, SweepOptions{Sessions: open, Images: true}); err != nil || !exists(gone) {
		t.Errorf("a sweep removed an image while a session was open, or %v", err)
	}
	user := spec{kind: kindWarm, image: gone.ID, network: noNetwork, labels: labelled(shared.owner.labels(), kindWarm, nil)}
	l, err := e.open(t.Context(), user, newName(kindWarm), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Sweep(t.Context(), e, SweepOptions{Sessions: t.TempDir(), Images: true}); err != nil || !exists(gone) {
		t.Errorf("a sweep removed an image in use, or %v", err)
	}
	if err := l.remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	swept, err := Sweep(t.Context(), e, SweepOptions{Sessions: t.TempDir(), Images: true})
	if err != nil || exists(gone) || !exists(mine) || !exists(theirs) {
		t.Errorf("%+v, %v; want the dead one's gone and the others there", swept, err)
	}
	again, err := Sweep(t.Context(), e, SweepOptions{Sessions: t.TempDir(), Images: true, Dry: true})
	if err != nil || slices.ContainsFunc(again.Images, func(s string) bool { return slices.Contains(swept.Images, s) }) {
		t.Errorf("swept twice: %+v, %v", again, err)
	}
}
