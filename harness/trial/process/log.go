package process

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/failrate/failrate/harness/trial/tree"
)

// Log keeps what a process writes in a file that never grows above a bound: the head and the tail stay, the middle
// goes. The bytes after the head are written round and round in the rest of the file and put in order at the end, so
// neither memory nor disk is needed for what is dropped. Several goroutines may write.
type Log struct {
	mu      sync.Mutex
	path    string
	f       *os.File // nil until something was written
	head    int64    // bytes that are never overwritten
	max     int64
	written int64     // by the subject
	sum     hash.Hash // of everything, while nothing was dropped
	err     error     // the first failure; nothing is written after it
}

// Kept says what is in the file of a Log.
type Kept struct {
	Bytes   int64  // that were written
	Dropped int64  // of those, cut out of the middle
	SHA256  string // hex, of the file; empty when there is none
}

// NewLog prepares one. The file is made with the first byte, for the owner only: most trials of many write nothing, and
// making a file takes a tenth of a short trial's time. Whatever bears its name is removed at once, and a link is not
// followed. max is the bound in bytes, above 0.
func NewLog(path string, max int64) (*Log, error) {
	if err := tree.RemoveAll(path); err != nil {
		return nil, fmt.Errorf("make a log: %w", err)
	}
	return &Log{path: path, head: max / 2, max: max}, nil
}

// open makes the file. It asks the kernel directly: os.OpenFile would see whether the file can be polled.
func (l *Log) open() error {
	for {
		fd, err := unix.Open(l.path, unix.O_CREAT|unix.O_EXCL|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return &os.PathError{Op: "open", Path: l.path, Err: err}
		}
		l.f, l.sum = os.NewFile(uintptr(fd), l.path), sha256.New()
		return nil
	}
}

// Write keeps the bytes. After a failure it goes on to take them, so that the process is not held up; Close tells.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(p)
	if n > 0 && l.f == nil && l.err == nil {
		l.err = l.open()
	}
	if l.err == nil && l.written+int64(n) <= l.max {
		l.sum.Write(p)
	}
	for len(p) > 0 && l.err == nil {
		at := l.place(l.written)
		part := p[:min(int64(len(p)), l.max-at)]
		if _, l.err = l.f.WriteAt(part, at); l.err != nil {
			return n, l.err
		}
		l.written += int64(len(part))
		p = p[len(part):]
	}
	return n, l.err
}

// place is where in the file the n-th byte goes.
func (l *Log) place(n int64) int64 {
	if n < l.max {
		return n
	}
	return l.head + (n-l.head)%(l.max-l.head)
}

// Close puts the file in order and says what is in it.
func (l *Log) Close() (Kept, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := Kept{Bytes: l.written}
	if l.f == nil {
		return k, l.failure()
	}
	switch {
	case l.err != nil:
	case l.written > l.max:
		k.Dropped, l.err = l.arrange()
		if l.err == nil {
			k.SHA256, l.err = digest(l.f)
		}
	case l.written > 0:
		k.SHA256 = hex.EncodeToString(l.sum.Sum(nil))
	}
	if l.err == nil {
		l.err = l.untouched()
	}
	if err := l.f.Close(); l.err == nil {
		l.err = err
	}
	return k, l.failure()
}

func (l *Log) failure() error {
	if l.err != nil {
		return fmt.Errorf("keep the output: %w", l.err)
	}
	return nil
}

// untouched reports a file that somebody else replaced or cut: the process can write wherever we can.
func (l *Log) untouched() error {
	open, err := l.f.Stat()
	if err != nil {
		return err
	}
	named, err := os.Lstat(l.path)
	if err != nil || !os.SameFile(open, named) || open.Size() != min(l.written, l.max) {
		return fmt.Errorf("%s was replaced or cut by somebody else", l.path)
	}
	return nil
}

// arrange turns the ring into a tail, and says at the end of the head how much is missing after it.
func (l *Log) arrange() (dropped int64, err error) {
	dropped = l.written - l.max
	if err := rotate(l.f, l.head, l.max, l.place(l.written)); err != nil {
		return dropped, err
	}
	note := ""
	for { // the note takes the place of kept bytes, which changes the number in it
		longer := fmt.Sprintf("\n[failrate: %d bytes of output left out here]\n", dropped+int64(len(note)))
		if len(longer) == len(note) {
			note = longer
			break
		}
		note = longer
	}
	if int64(len(note)) > l.head {
		return dropped, nil
	}
	_, err = l.f.WriteAt([]byte(note), l.head-int64(len(note)))
	return dropped + int64(len(note)), err
}
