package journal

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Writer appends to a journal, alone: one write(2) for each record, on disk at most Behind later. It is safe for use by
// several goroutines. After a failed append or sync it refuses everything: a campaign whose record has a hole must stop.
type Writer struct {
	file  file
	path  string
	state *State

	mu   sync.Mutex
	buf  bytes.Buffer
	size int64
	sum  uint32
	err  error // why nothing more is accepted

	synced  int64     // bytes that are on disk for certain
	oldest  time.Time // when the oldest record was written that no sync has begun for; zero when there is none
	syncing time.Time // when the oldest record was written that a sync is under way for; zero when none is
	ended   *sync.Cond
	wake    chan struct{} // a record waits
	now     chan struct{} // somebody waits for the disk
	stop    chan struct{}
	stopped sync.WaitGroup
}

// Behind is how long a record may be in memory only. A power cut loses at most that; a killed harness loses nothing.
const Behind = 200 * time.Millisecond

// file is what a Writer needs of an *os.File.
type file interface {
	io.Writer
	io.Seeker
	Sync() error
	Truncate(size int64) error
	Close() error
}

// newWriter takes over a locked file that holds size bytes of whole records.
func newWriter(f file, path string, stats Stats, notes []Note) *Writer {
	w := &Writer{file: f, path: path, size: stats.Bytes, synced: stats.Bytes, sum: stats.sum,
		wake: make(chan struct{}, 1), now: make(chan struct{}, 1), stop: make(chan struct{}),
		state: &State{header: stats.Header, ledger: stats.ledger, notes: notes}}
	w.ended = sync.NewCond(&w.mu)
	w.stopped.Go(w.syncLoop)
	return w
}

// State gives the state of every trial. It follows what is appended.
func (w *Writer) State() *State { return w.state }

// Start records that an attempt is about to run. It is an error, and nothing is written, when the plan and shard do not
// hold the trial, the attempt is not the next one, or an earlier one counts.
func (w *Writer) Start(s Started) error {
	return w.append(s.ID, startedLine{typeStarted, &s}, func(l *ledger, cell, number, attempt int, at int64) error {
		return l.start(cell, number, attempt, at)
	})
}

// Finish records how an attempt ended. It is an error, and nothing is written, when it is not running.
func (w *Writer) Finish(f Finished) error {
	return w.append(f.ID, finishedLine{typeFinished, &f}, func(l *ledger, cell, number, attempt int, at int64) error {
		return l.finish(cell, number, attempt, f.Judgement.Outcome, at)
	})
}

// Note records anything else.
func (w *Writer) Note(n Note) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.catchUp(); err != nil {
		return err
	}
	if err := w.write(noteLine{typeNote, &n}); err != nil {
		return err
	}
	w.state.note(n)
	return nil
}

// append writes the record of an attempt when the ledger has nothing against it, and then notes it there.
func (w *Writer) append(id string, form any, enter func(l *ledger, cell, number, attempt int, at int64) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.catchUp(); err != nil {
		return err
	}
	at := w.size
	cell, number, attempt, err := w.state.ledger.index.Locate([]byte(id))
	if err == nil {
		err = w.state.enter(func(l *ledger) error { return enter(l, cell, number, attempt, -1) })
	}
	if err != nil {
		return fmt.Errorf("%s: the record of %.80q is refused: %w", w.path, id, err)
	}
	if err := w.write(form); err != nil {
		return err
	}
	return w.state.enter(func(l *ledger) error { return enter(l, cell, number, attempt, at) })
}

// write appends one line or fails for good, leaving the file as it was if it can.
func (w *Writer) write(form any) error {
	sum, err := seal(&w.buf, form, w.sum)
	if err != nil {
		return fmt.Errorf("%s: %w", w.path, err)
	}
	end, err := w.file.Seek(0, io.SeekEnd)
	if err == nil && end != w.size {
		err = &refusal{kind: ErrDamaged, text: fmt.Sprintf("another program changed it: it ends at byte %d and not at %d", end, w.size),
			hint: "find out what wrote to it, such as the subject itself, and measure again"}
	}
	if err != nil {
		return w.fail(err)
	}
	n, err := w.file.Write(w.buf.Bytes())
	if err == nil && n < w.buf.Len() {
		err = io.ErrShortWrite
	}
	if err != nil {
		if n > 0 {
			if back := w.file.Truncate(w.size); back != nil {
				err = fmt.Errorf("%w (and the torn record could not be cut off: %w)", err, back)
			}
		}
		return w.fail(err)
	}
	w.size += int64(n)
	w.sum = sum
	w.written()
	return nil
}

// fail makes the error the answer to everything from now on.
func (w *Writer) fail(err error) error {
	w.err = fmt.Errorf("%s: the journal takes no more records: %w", w.path, err)
	return w.err
}

// Close puts everything on disk and lets go of the journal. Only the first call does anything.
func (w *Writer) Close() error {
	w.mu.Lock()
	select {
	case <-w.stop:
		w.mu.Unlock()
		return nil
	default:
		close(w.stop)
	}
	w.mu.Unlock()
	err := w.finish()
	_ = os.Remove(filepath.Join(filepath.Dir(w.path), pidName))
	if closed := w.file.Close(); err == nil {
		err = closed
	}
	return err
}
