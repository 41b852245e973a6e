package journal

import (
	"bytes"
	"io"

	"github.com/failrate/failrate/harness/plan"
)

// content is where a journal's bytes are. A file is opened anew each time: a merge may have more than there are
// descriptors.
type content struct {
	path    string
	section *io.SectionReader // when it was unpacked
}

// open gives the bytes to f.
func (c content) open(f func(in io.ReaderAt, size int64) error) error {
	if c.section != nil {
		return f(c.section, c.section.Size())
	}
	file, err := openRegular(c.path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	return f(file, info.Size())
}

// header reads the header alone.
func (c content) header(r *reader, name string) (h Header, shard plan.Shard, err error) {
	err = c.open(func(in io.ReaderAt, size int64) (err error) {
		h, shard, err = r.headerOf(io.NewSectionReader(in, 0, size), name)
		return err
	})
	return h, shard, err
}

// headerOf reads the header at the start of a stream.
func (r *reader) headerOf(in io.Reader, name string) (Header, plan.Shard, error) {
	f := &feed{in: in, name: name}
	r.head.err = nil
	f.fill(&r.head)
	return r.header(f, &r.head)
}

// window is a stretch of a journal that was read, so that its lines need not be fetched one by one.
type window struct {
	buf []byte
	at  int64 // offset of buf
}

// line gives the line at an offset without its newline, nil when the window does not hold all of it.
func (w *window) line(at int64) []byte {
	if at < w.at || at >= w.at+int64(len(w.buf)) {
		return nil
	}
	rest := w.buf[at-w.at:]
	if end := bytes.IndexByte(rest, '\n'); end >= 0 {
		return rest[:end]
	}
	return nil
}

// cursor reads the lines of one journal at offsets that mostly grow. Two windows let the attempts that were made again
// much later be read along with the others.
type cursor struct {
	content content
	size    int // of a window
	windows [2]window
	last    int // the window used last
}

// line gives the line at an offset, without its newline. It is good until the next call.
func (c *cursor) line(at int64) ([]byte, error) {
	for _, i := range [2]int{c.last, 1 - c.last} {
		if text := c.windows[i].line(at); text != nil {
			c.last = i
			return text, nil
		}
	}
	if w := c.windows[c.last]; at < w.at || at > w.at+int64(len(w.buf)+c.size) {
		c.last = 1 - c.last // a jump: leave the window where it is
	}
	w := &c.windows[c.last]
	err := c.content.open(func(in io.ReaderAt, _ int64) error {
		for size := c.size; ; size *= 2 {
			if cap(w.buf) < size {
				w.buf = make([]byte, size)
			}
			n, err := in.ReadAt(w.buf[:size], at)
			w.buf, w.at = w.buf[:n], at
			if w.line(at) != nil || err != nil || n >= MaxLine {
				return nil
			}
		}
	})
	if err != nil {
		return nil, err
	}
	if text := w.line(at); text != nil {
		return text, nil
	}
	return nil, errChanged
}
