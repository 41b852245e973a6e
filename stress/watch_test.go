package stress

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// deadline is for failing tests only: what must come, comes long before, however loaded the machine is.
const deadline = time.Minute

// watched are the touches and removals that a watch has seen.
type watched struct {
	seen chan bool
	stop func()
}

func follow(t *testing.T, w watchFunc) *watched {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	f := &watched{seen: make(chan bool, 1000)}
	done := make(chan error, 1)
	go func() { done <- w(ctx, func(touched bool) { f.seen <- touched }) }()
	f.stop = func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	return f
}

// next waits for the first touch, or the first removal, and passes over what a repeated touch gives before it.
func (f *watched) next(t *testing.T, touched bool) {
	t.Helper()
	late := time.After(deadline)
	for {
		select {
		case got := <-f.seen:
			if got == touched {
				return
			}
		case <-late:
			t.Fatalf("no change to touched = %v was seen", touched)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestWatch: the system's own watch and the one that looks see the same. Each change waits for the last one to be seen,
// as a look between two changes at once can miss the first.
func TestWatch(t *testing.T) {
	t.Parallel()
	for name, watch := range map[string]func(string) (watchFunc, error){
		"the system's": watch,
		"looking":      func(path string) (watchFunc, error) { return poll(path), nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			path := filepath.Join(folder, "burst")
			w, err := watch(path)
			must(t, err)
			f := follow(t, w)
			defer f.stop()

			must(t, os.WriteFile(filepath.Join(folder, "other"), []byte("no burst"), 0o600))
			must(t, os.WriteFile(path, nil, 0o600))
			f.next(t, true)
			must(t, os.Remove(path))
			f.next(t, false)
			must(t, os.WriteFile(path, []byte("1"), 0o600))
			f.next(t, true)
			must(t, os.Rename(path, filepath.Join(folder, "gone")))
			f.next(t, false)
			must(t, os.Rename(filepath.Join(folder, "gone"), path))
			f.next(t, true)
		})
	}
}

// TestWatchSeesFurtherTouches: writing to the file, and setting its time, begin a burst like making it.
func TestWatchSeesFurtherTouches(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "burst")
	must(t, os.WriteFile(path, nil, 0o600))
	w, err := watch(path)
	must(t, err)
	f := follow(t, w)
	defer f.stop()
	f.next(t, true) // it was there
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	must(t, err)
	defer file.Close()
	_, err = file.WriteString("now")
	must(t, err)
	f.next(t, true)
	info, err := os.Stat(path)
	must(t, err)
	must(t, os.Chtimes(path, info.ModTime().Add(time.Second), info.ModTime().Add(time.Second)))
	f.next(t, true)
}

func TestSightTellsChanges(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "burst")
	none := look(path)
	must(t, os.WriteFile(path, nil, 0o600))
	made := look(path)
	must(t, os.WriteFile(path, []byte("longer"), 0o600))
	written := look(path)
	must(t, os.Rename(path, path+"2"))
	must(t, os.WriteFile(path, []byte("longer"), 0o600))
	must(t, os.Chtimes(path, written.time, written.time))
	replaced := look(path)
	for _, c := range []struct {
		name             string
		before, after    sight
		touched, changed bool
	}{
		{"never there", none, none, false, false},
		{"made", none, made, true, true},
		{"unchanged", made, made, true, false},
		{"written", made, written, true, true},
		{"replaced by one that looks alike", written, replaced, true, true},
		{"removed", written, none, false, true},
	} {
		touched, changed := c.after.since(c.before)
		if touched != c.touched || changed != c.changed {
			t.Errorf("%s: touched %v, changed %v", c.name, touched, changed)
		}
	}
}
