package rounds

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestABurstIsAnnouncedAndTakenBack(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "burst")
	b := &Burst{File: path}
	for range 3 {
		if err := b.Begin(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); err != nil {
			t.Errorf("not announced: %v", err)
		}
		if err := b.End(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("not taken back: %v", err)
		}
	}
	if err := b.End(); err != nil {
		t.Errorf("an end without a beginning: %v", err)
	}
}

func TestHogsRunUntilTheEnd(t *testing.T) {
	t.Parallel()
	b := &Burst{Hogs: 2, Lead: time.Millisecond}
	if err := b.Begin(); err != nil {
		t.Fatal(err)
	}
	if err := b.End(); err != nil { // waits for both
		t.Fatal(err)
	}
	if b.spent.Load() == 0 {
		t.Error("the hogs did nothing")
	}
}

func TestNoLoadMeansNoWait(t *testing.T) {
	t.Parallel()
	b := &Burst{Lead: time.Hour} // would hang
	if err := b.Begin(); err != nil {
		t.Fatal(err)
	}
	if err := b.End(); err != nil {
		t.Fatal(err)
	}
}

func TestParseHogs(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]int{"none": 0, "burst:1": 1, "burst:1024": 1024} {
		if got, err := ParseHogs(word); got != want || err != nil {
			t.Errorf("%q: %d, %v; want %d", word, got, err, want)
		}
	}
	for _, word := range []string{"", "burst", "burst:", "burst:0", "burst:-1", "burst:1025", "2", "hogs:2", "burst:2x"} {
		if got, err := ParseHogs(word); err == nil {
			t.Errorf("%q was read as %d", word, got)
		}
	}
}
