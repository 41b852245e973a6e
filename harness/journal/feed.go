package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// chunk is how many bytes a batch holds, unless a single line is longer.
const chunk = 256 << 10

var errTooLong = fmt.Errorf("the line is longer than %d bytes", MaxLine)

// feed cuts a stream into batches of whole lines.
type feed struct {
	in     io.Reader
	name   string
	rest   []byte // the start of a line that did not fit
	line   int64  // of the next batch's first line, from 0
	offset int64
	sum    uint32
	torn   int64 // set at the end of the stream
}

// fill reads the next lines. It gives false when they are the last ones, with b.err when that is not a good end.
func (f *feed) fill(b *batch) bool {
	b.line, b.offset, b.sum = f.line+1, f.offset, f.sum
	b.buf = append(b.buf[:0], f.rest...)
	end, err := f.read(b)
	f.rest = append(f.rest[:0], b.buf[end:]...)
	b.buf = b.buf[:end]
	f.line += int64(bytes.Count(b.buf, []byte{'\n'}))
	f.offset += int64(end)
	if end > 0 {
		_, f.sum, _ = unseal(b.buf[bytes.LastIndexByte(b.buf[:end-1], '\n')+1 : end-1])
	}
	switch {
	case err == nil:
		return true
	case errors.Is(err, errTooLong):
		b.err = &DamagedError{Path: f.name, Line: f.line + 1, Offset: f.offset, What: err.Error()}
	case !errors.Is(err, io.EOF):
		b.err = fmt.Errorf("%s: %w", f.name, err)
	default:
		if damage := tornTail(f.rest, f.sum); damage != "" {
			b.err = &DamagedError{Path: f.name, Line: f.line + 1, Offset: f.offset, What: damage}
		}
		f.torn = int64(len(f.rest))
	}
	return false
}

// read appends to the batch until it holds a chunk with a whole line, and gives where its last whole line ends.
func (f *feed) read(b *batch) (end int, err error) {
	seen := 0
	for {
		if len(b.buf) == cap(b.buf) {
			b.buf = append(make([]byte, 0, max(chunk, 2*cap(b.buf))), b.buf...)
		}
		n, err := f.in.Read(b.buf[len(b.buf):cap(b.buf)])
		b.buf = b.buf[:len(b.buf)+n]
		if at := bytes.LastIndexByte(b.buf[seen:], '\n'); at >= 0 {
			end = seen + at + 1
		}
		seen = len(b.buf)
		if err != nil {
			return end, err
		}
		if len(b.buf)-end >= MaxLine {
			return end, errTooLong
		}
		if end > 0 && len(b.buf) >= chunk {
			return end, nil
		}
	}
}

// cutLine gives the first line of text, which holds a whole one, without its newline.
func cutLine(text []byte) []byte { return text[:bytes.IndexByte(text, '\n')] }
