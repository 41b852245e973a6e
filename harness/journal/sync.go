package journal

import (
	"os"
	"time"
)

// delay is how long records are gathered before a sync: half of Behind, so that the sync itself has the other half.
const delay = Behind / 2

// Sync waits until every record is on disk that was appended before the call.
func (w *Writer) Sync() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for size := w.size; w.err == nil && w.synced < size; {
		w.hurry()
	}
	return w.err
}

// written notes that a record waits for a sync.
func (w *Writer) written() {
	if w.oldest.IsZero() {
		w.oldest = time.Now()
		offer(w.wake)
	}
}

// catchUp waits for the disk when it is so slow that a record has been in memory for longer than was promised.
func (w *Writer) catchUp() error {
	for w.err == nil && w.synced < w.size && time.Since(w.overdue()) > Behind {
		w.hurry()
	}
	return w.err
}

// overdue is when the oldest record was written that may not be on disk.
func (w *Writer) overdue() time.Time {
	if !w.syncing.IsZero() {
		return w.syncing
	}
	return w.oldest
}

// hurry gives up the lock until a sync has ended.
func (w *Writer) hurry() {
	offer(w.now)
	w.ended.Wait()
}

func offer(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// syncLoop is the Writer's own goroutine: it syncs a while after the first record that waits for it.
func (w *Writer) syncLoop() {
	for {
		select {
		case <-w.stop:
			return
		case <-w.wake:
		}
		timer := time.NewTimer(delay)
		select {
		case <-w.stop:
			timer.Stop()
			return
		case <-w.now:
		case <-timer.C:
		}
		timer.Stop()
		w.syncBeside()
	}
}

// syncBeside syncs while others append. An error is for good: after it, nobody knows what is on disk.
func (w *Writer) syncBeside() {
	w.mu.Lock()
	size := w.size
	w.syncing, w.oldest = w.oldest, time.Time{}
	w.mu.Unlock()
	err := w.file.Sync()
	w.mu.Lock()
	defer w.mu.Unlock()
	defer w.ended.Broadcast()
	w.syncing = time.Time{}
	if err == nil {
		w.synced = size
	} else if w.err == nil {
		_ = w.fail(err)
	}
}

// finish stops the goroutine and syncs what it left. Afterwards nothing more is accepted.
func (w *Writer) finish() error {
	w.stopped.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	defer w.ended.Broadcast()
	if w.err != nil {
		return w.err
	}
	if err := w.file.Sync(); err != nil {
		return w.fail(err)
	}
	w.synced = w.size
	_ = w.fail(os.ErrClosed)
	return nil
}
