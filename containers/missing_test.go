package containers

import (
	"strings"
	"testing"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/image"

	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
)

func TestRemovedMeanwhile(t *testing.T) {
	each(t, Options{Limits: study.Limits{CPUs: 1.5}}, func(t *testing.T, x *Executor) {
		r := attemptOf(t, "./hostile", "touch=$FAILRATE_BURST", "sleep=")
		r.Burst, r.Out.Burst = true, r.Out.Log+".burst"
		done := make(chan trial.Observation)
		go func() { done <- x.Execute(t.Context(), r) }()
		awaitFile(t, r.Out.Burst)
		id := x.current(t)
		if err := x.engine.cli.ContainerRemove(t.Context(), id, container.RemoveOptions{Force: true}); err != nil {
			t.Fatal(err)
		}
		if o := <-done; !strings.Contains(o.Fault, "container") || o.Exit != -1 || o.Signal != "" || o.OOM {
			t.Errorf("%+v", o)
		}
		if o := x.Execute(t.Context(), attemptOf(t, "./hostile")); o.Fault != "" || o.Exit != 0 {
			t.Errorf("the next attempt: %+v", o)
		}
	})
}

func (x *Executor) current(t testing.TB) string {
	t.Helper()
	kind := kindTrial
	if x.options.Isolation == study.ContainerWarm {
		kind = kindWarm
	}
	f := ownedBy(x.options.Owner)
	f.Add("label", labelKind+"="+kind)
	list, err := x.engine.cli.ContainerList(t.Context(), container.ListOptions{Filters: f})
	if err != nil || len(list) != 1 {
		t.Fatalf("%d containers, %v", len(list), err)
	}
	return list[0].ID
}

func TestHolderRemoved(t *testing.T) {
	t.Parallel()
	e := needEngine(t)
	x := newExecutor(t, Options{Engine: e, Images: hostile(t, e)})
	if o := x.Execute(t.Context(), attemptOf(t, "./hostile")); o.Fault != "" {
		t.Fatalf("%+v", o)
	}
	if err := e.discard(t.Context(), x.networks.idle[0].link.id); err != nil {
		t.Fatal(err)
	}
	if o := x.Execute(t.Context(), attemptOf(t, "./hostile")); o.Fault == "" || o.Exit != -1 {
		t.Errorf("%+v", o)
	}
	if o := x.Execute(t.Context(), attemptOf(t, "./hostile")); o.Fault != "" || o.Exit != 0 {
		t.Errorf("%+v", o)
	}
}

func TestImageDeleted(t *testing.T) {
	t.Parallel()
	e := needEngine(t)
	img, err := prepare(t, e, PrepareOptions{Image: study.Image{Name: "scratch"}, Tree: plant(t, t.TempDir(), map[string]string{"x": shared.owner.Session})})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.cli.ImageRemove(t.Context(), img.ID, image.RemoveOptions{Force: true}); err != nil {
		t.Fatal(err)
	}
	for _, i := range []study.ContainerIsolation{study.ContainerFresh, study.ContainerWarm} {
		x := newExecutor(t, Options{Engine: e, Isolation: i, Images: map[string]Image{"a": img}})
		if o := x.Execute(t.Context(), attemptOf(t, "./x")); !strings.Contains(o.Fault, "create container") || o.Exit != -1 {
			t.Errorf("%+v", o)
		}
	}
}

func TestBrokenVariant(t *testing.T) {
	t.Parallel()
	x := New(Options{Images: map[string]Image{"a": {Err: &SetupError{Command: []string{"make"}, Why: "exit status 2"}}}})
	if o := x.Execute(t.Context(), attemptOf(t, "x")); !strings.Contains(o.Fault, `prepare variant "a": set-up command "make": exit status 2`) {
		t.Errorf("%+v", o)
	}
}
