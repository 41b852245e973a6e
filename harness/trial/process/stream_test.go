package process

import (
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A process that escaped us and holds the pipe must not hold us up, and what was written before is kept.
func TestStreamHeldOpen(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	log, err := NewLog(path, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	buffers := &sync.Pool{New: func() any { return new([32 << 10]byte) }}
	s, err := newStream(buffers, []io.Writer{log})
	if err != nil {
		t.Fatal(err)
	}
	held, err := unix.Dup(s.theirs)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(held)
	want := string(text(60_000)) // fits into the pipe
	if n, err := unix.Write(held, []byte(want)); n != len(want) || err != nil {
		t.Fatalf("wrote %d: %v", n, err)
	}
	if err := s.ours.SetReadDeadline(time.Unix(1, 0)); err != nil { // it has passed before the first read
		t.Fatal(err)
	}
	s.begin(true)
	<-s.done
	if err := s.finish(time.Hour); err != nil {
		t.Fatal(err)
	}
	kept, err := log.Close()
	if err != nil || kept.Bytes != int64(len(want)) {
		t.Errorf("kept %+v (%v), want all of %d bytes", kept, err, len(want))
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("the log is not what was written (%v)", err)
	}
}

// The deadline ends the reading of a pipe that stays open.
func TestStreamEndsInTime(t *testing.T) {
	t.Parallel()
	buffers := &sync.Pool{New: func() any { return new([32 << 10]byte) }}
	s, err := newStream(buffers, nil)
	if err != nil {
		t.Fatal(err)
	}
	held, err := unix.Dup(s.theirs)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(held)
	s.begin(true)
	if err := s.finish(time.Millisecond); err != nil {
		t.Fatal(err)
	}
}

func TestStreamNotStarted(t *testing.T) {
	t.Parallel()
	s, err := newStream(&sync.Pool{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.begin(false)
	if err := s.ours.Close(); err == nil {
		t.Error("our end was still open")
	}
}
