package containers

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestOwnerLabels(t *testing.T) {
	t.Parallel()
	o := Self("abc")
	o.Deadline = time.Date(2026, 12, 1, 2, 3, 4, 0, time.UTC)
	if got := ownerOf(o.labels()); got != o {
		t.Errorf("got %+v, want %+v", got, o)
	}
	if o.PID != os.Getpid() || o.PIDStart == "" || o.BootID == "" || o.Host == "" {
		t.Errorf("self is %+v", o)
	}
	if again := Self("abc"); again.PIDStart != o.PIDStart {
		t.Errorf("started at %s and at %s", o.PIDStart, again.PIDStart)
	}
}

func TestAlive(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lock := func(name string, locked bool) {
		f, err := os.Create(filepath.Join(dir, name+sessionSuffix))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		if locked {
			if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
				t.Fatal(err)
			}
		}
	}
	lock("held", true)
	lock("free", false)
	now := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	w := witness{sessions: dir, host: "here", bootID: "boot", now: now, start: func(pid int) (string, error) {
		if pid != 10 {
			return "", errors.New("no such process")
		}
		return "77", nil
	}}
	running := Owner{PID: 10, PIDStart: "77", Host: "here", BootID: "boot"}
	with := func(change func(*Owner)) Owner {
		o := running
		change(&o)
		return o
	}
	if !w.anybody() || (witness{sessions: t.TempDir()}).anybody() || (witness{sessions: dir + "none"}).anybody() {
		t.Error("whether a session is open is not known")
	}
	for name, c := range map[string]struct {
		owner Owner
		want  bool
	}{
		"running":              {running, true},
		"another-process":      {with(func(o *Owner) { o.PIDStart = "78" }), false},
		"ended":                {with(func(o *Owner) { o.PID = 11 }), false},
		"no-process":           {with(func(o *Owner) { o.PID = 0 }), false},
		"restarted":            {with(func(o *Owner) { o.BootID = "before" }), false},
		"held":                 {with(func(o *Owner) { o.Session, o.PID = "held", 11 }), true},
		"free":                 {with(func(o *Owner) { o.Session = "free" }), false},
		"no-file":              {with(func(o *Owner) { o.Session = "gone" }), true},
		"no-file-and-ended":    {with(func(o *Owner) { o.Session, o.PID = "gone", 11 }), false},
		"path":                 {with(func(o *Owner) { o.Session, o.PID = "../"+filepath.Base(dir)+"/held", 11 }), false},
		"elsewhere":            {with(func(o *Owner) { o.Host, o.BootID = "there", "other" }), true},
		"elsewhere-in-time":    {with(func(o *Owner) { o.Host, o.Deadline = "there", now.Add(time.Second) }), true},
		"elsewhere-too-late":   {with(func(o *Owner) { o.Host, o.Deadline = "there", now }), false},
		"here-past-its-time":   {with(func(o *Owner) { o.Deadline = now.Add(-time.Hour) }), true},
		"nothing-on-the-label": {Owner{}, true}, // of another host, for all we know
	} {
		if got := w.alive(c.owner); got != c.want {
			t.Errorf("%s: alive %t, want %t", name, got, c.want)
		}
	}
}
