package journal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/failrate/failrate/harness/classify"
	"github.com/failrate/failrate/harness/plan"
)

// disk is a file in memory whose calls can be made to fail.
type disk struct {
	data     []byte
	write    func(p []byte) (int, error) // of the bytes that get through and the error; nil means all
	sync     func() error
	truncate func() error
	syncs    atomic.Int64
}

func (d *disk) Write(p []byte) (int, error) {
	n, err := len(p), error(nil)
	if d.write != nil {
		n, err = d.write(p)
	}
	d.data = append(d.data, p[:n]...)
	return n, err
}

func (d *disk) Seek(int64, int) (int64, error) { return int64(len(d.data)), nil }

func (d *disk) Sync() error {
	d.syncs.Add(1)
	if d.sync != nil {
		return d.sync()
	}
	return nil
}

func (d *disk) Truncate(size int64) error {
	if d.truncate != nil {
		return d.truncate()
	}
	d.data = d.data[:size]
	return nil
}

func (d *disk) Close() error { return nil }

// onDisk gives a Writer on a disk that holds a header.
func onDisk(t *testing.T, d *disk) *Writer {
	t.Helper()
	d.data = encoded(t, testHeader(100))
	_, stats, err := texts(d.data)
	if err != nil {
		t.Fatal(err)
	}
	return newWriter(d, filepath.Join(t.TempDir(), FileName), stats, nil)
}

func TestFailedAppendLeavesWholeRecordsAndEndsTheJournal(t *testing.T) {
	t.Parallel()
	full := errors.New("no space left on device")
	for name, c := range map[string]struct {
		write    func(p []byte) (int, error)
		truncate func() error
		torn     bool
	}{
		"nothing written":         {write: func([]byte) (int, error) { return 0, full }},
		"half written":            {write: func(p []byte) (int, error) { return len(p) / 2, full }},
		"all but the newline":     {write: func(p []byte) (int, error) { return len(p) - 1, full }},
		"all written, then error": {write: func(p []byte) (int, error) { return len(p), full }},
		"short without an error":  {write: func(p []byte) (int, error) { return len(p) - 3, nil }},
		"half, and it stays": {write: func(p []byte) (int, error) { return len(p) / 2, full },
			truncate: func() error { return errors.New("read-only file system") }, torn: true},
	} {
		d := &disk{}
		w := onDisk(t, d)
		if err := errors.Join(w.Start(Started{ID: id1}), w.Start(Started{ID: id2})); err != nil {
			t.Fatal(err)
		}
		good := len(d.data)
		d.write, d.truncate = c.write, c.truncate
		first := w.Finish(finished(id1, classify.Pass, 1))
		if first == nil || !errors.Is(first, full) && !errors.Is(first, io.ErrShortWrite) {
			t.Errorf("%s: %v", name, first)
		}
		d.write, d.truncate = nil, nil // the disk has room again, but there is a hole in the record
		for _, err := range []error{w.Finish(finished(id2, classify.Pass, 1)), w.Start(Started{ID: "a/native/none#0002"}), w.Note(Note{}), w.Sync(), w.Close()} {
			if !errors.Is(err, first) {
				t.Errorf("%s: after it came %v", name, err)
			}
		}
		if p := w.State().Progress(plan.Trial{Index: 3, Number: 1}); !p.Running {
			t.Errorf("%s: the state says that the attempt ended: %+v", name, p)
		}
		_, stats, err := texts(d.data)
		if err != nil || stats.Bytes != int64(good) || (stats.Torn > 0) != c.torn {
			t.Errorf("%s: left %d whole and %d torn bytes, want %d whole; %v", name, stats.Bytes, stats.Torn, good, err)
		}
	}
}

func TestWriterSeesThatAnotherProgramWrote(t *testing.T) {
	t.Parallel()
	d := &disk{}
	w := onDisk(t, d)
	d.data = append(d.data, "forged\n"...)
	before := len(d.data)
	if err := w.Start(Started{ID: id1}); err == nil || !strings.Contains(err.Error(), "another program changed it") {
		t.Errorf("a foreign line: %v", err)
	}
	if err := w.Close(); err == nil || len(d.data) != before {
		t.Errorf("Close gave %v, and the file went from %d to %d bytes", err, before, len(d.data))
	}
}

func TestRecordsAreOnDiskInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &disk{}
		w := onDisk(t, d)
		time.Sleep(time.Hour)
		if synctest.Wait(); d.syncs.Load() > 0 {
			t.Errorf("%d syncs of nothing", d.syncs.Load())
		}
		for n := 1; n <= 5; n++ {
			if err := w.Start(Started{ID: plan.TrialID("a/native/none", n)}); err != nil {
				t.Fatal(err)
			}
		}
		if d.syncs.Load() > 0 {
			t.Error("a record waited for the disk")
		}
		time.Sleep(Behind)
		if synctest.Wait(); d.syncs.Load() != 1 {
			t.Errorf("%d syncs for five records, want 1", d.syncs.Load())
		}
		if err := w.Note(Note{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(Behind)
		if synctest.Wait(); d.syncs.Load() != 2 {
			t.Errorf("%d syncs after another record, want 2", d.syncs.Load())
		}
		if err := w.Note(Note{}); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil || d.syncs.Load() != 3 {
			t.Errorf("%d syncs after Close, want 3; %v", d.syncs.Load(), err)
		}
	})
}

// A disk that takes a second for each sync: nobody runs further ahead of it than was promised.
func TestASlowDiskHoldsTheCampaignBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &disk{}
		begun := time.Now()
		var safe atomic.Pointer[time.Time] // when the last sync began that has ended
		safe.Store(&begun)
		d.sync = func() error {
			at := time.Now()
			time.Sleep(time.Second)
			safe.Store(&at)
			return nil
		}
		w := onDisk(t, d)
		for n := 1; n <= 40; n++ {
			if err := w.Start(Started{ID: plan.TrialID("a/native/none", n)}); err != nil {
				t.Fatal(err)
			}
			if behind := time.Since(*safe.Load()); n > 1 && behind > Behind+time.Second+30*time.Millisecond {
				t.Errorf("record %d was taken with the disk %v behind", n, behind)
			}
			time.Sleep(30 * time.Millisecond)
		}
		if time.Since(begun) < 2*time.Second {
			t.Errorf("40 records took %v: the disk held nothing back", time.Since(begun))
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestFailedSyncEndsTheJournal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &disk{}
		bad := errors.New("input/output error")
		d.sync = func() error {
			if d.syncs.Load() == 1 {
				return bad
			}
			return nil // the next one would succeed and mean nothing: the pages are gone
		}
		w := onDisk(t, d)
		if err := w.Start(Started{ID: id1}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(Behind)
		synctest.Wait()
		for _, err := range []error{w.Finish(finished(id1, classify.Pass, 1)), w.Sync(), w.Close()} {
			if !errors.Is(err, bad) {
				t.Errorf("after a failed sync came %v", err)
			}
		}
	})
}

// A real limit on the size of a real file, at many sizes: the write is cut short by the kernel.
func TestFullDiskStopsAndResumes(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	h := testHeader(4)
	whole := written(t, filepath.Join(t.TempDir(), "whole"), h, -1)
	want := results(t, whole)
	empty := written(t, filepath.Join(t.TempDir(), "empty"), h, 0)
	size := len(read(t, empty))
	for _, more := range []int{1, 60, 101, 150, 600, 601, 1500} {
		dir := written(t, filepath.Join(t.TempDir(), "c"), h, 0)
		c := exec.CommandContext(t.Context(), exe)
		c.Env = append(os.Environ(), childDir+"="+dir, fmt.Sprintf("%s=%d", childSize, size+more))
		out, err := c.CombinedOutput()
		if c.ProcessState.ExitCode() != 3 || !strings.Contains(string(out), "takes no more records") {
			t.Fatalf("with room for %d bytes the harness ended with %v: %s", more, err, out)
		}
		missing(t, dir, strings.Split(strings.TrimSpace(string(out)), "\n")[:strings.Count(string(out), "\n")-1])
		if _, stats, err := texts(read(t, dir)); err != nil || stats.Torn > 0 {
			t.Errorf("with room for %d bytes: %d bytes torn, %v", more, stats.Torn, err)
		}
		w, _, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		run(t, w, -1)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if got := results(t, dir); !slices.Equal(got, want) {
			t.Errorf("with room for %d bytes and resumed: %v, want %v", more, got, want)
		}
	}
}
