package agent

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"testing"
	"testing/iotest"
)

func TestFrames(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w := &Writer{To: &b}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			for size := range 50 {
				if err := w.Frame(KindOutput, bytes.Repeat([]byte{'x'}, size)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if err := w.Value(KindResult, Result{Seq: 7, Exit: 3}); err != nil {
		t.Fatal(err)
	}
	r, buf, bytesRead := iotest.OneByteReader(&b), []byte(nil), 0
	for range 20 * 50 {
		kind, payload, err := ReadFrame(r, buf)
		if err != nil || kind != KindOutput {
			t.Fatal(kind, err)
		}
		buf = payload
		bytesRead += len(payload)
	}
	if want := 20 * 49 * 50 / 2; bytesRead != want {
		t.Errorf("read %d bytes, want %d", bytesRead, want)
	}
	if kind, payload, err := ReadFrame(r, buf); err != nil || kind != KindResult || !bytes.Contains(payload, []byte(`"seq":7`)) {
		t.Errorf("%q %s %v", kind, payload, err)
	}
	if _, _, err := ReadFrame(r, buf); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}
}

func FuzzReadFrame(f *testing.F) {
	f.Add([]byte("o\x00\x00\x00\x03abch\x00\x00\x00\x00"))
	f.Add([]byte("o\xff\xff\xff\xff"))
	f.Add([]byte("standard_init_linux.go"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, taken := bytes.NewReader(b), 0
		var buf []byte
		for {
			_, payload, err := ReadFrame(r, buf)
			if err != nil {
				break
			}
			buf = payload
			taken += 5 + len(payload)
		}
		if taken > len(b) || cap(buf) > maxFrame {
			t.Errorf("took %d of %d bytes with a buffer of %d", taken, len(b), cap(buf))
		}
	})
}
