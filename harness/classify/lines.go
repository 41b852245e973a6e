package classify

import (
	"bufio"
	"errors"
	"io"
)

// lineReader reads lines of bounded length from a stream of any length.
type lineReader struct {
	in  *bufio.Reader
	max int // bytes of a line that are kept
	buf []byte

	number int  // of the line just read, from 1
	long   bool // it was longer than max and its end was dropped
	whole  bool // it ended with a newline
}

func newLineReader(r io.Reader, limit int) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(r, 64<<10), max: limit}
}

// next gives the next line without its newline, valid until the next call; io.EOF after the last.
func (l *lineReader) next() ([]byte, error) {
	l.buf, l.long, l.whole = l.buf[:0], false, false
	for read := false; ; read = true {
		piece, err := l.in.ReadSlice('\n')
		if n := len(piece); n > 0 && piece[n-1] == '\n' {
			piece, l.whole = piece[:n-1], true
		} else if n == 0 && !read && err != nil {
			return nil, err
		}
		if room := l.max - len(l.buf); len(piece) > room {
			l.long, piece = true, piece[:room]
		}
		l.buf = append(l.buf, piece...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && err != io.EOF:
			return nil, err
		}
		l.number++
		if n := len(l.buf); n > 0 && l.whole && !l.long && l.buf[n-1] == '\r' {
			l.buf = l.buf[:n-1]
		}
		return l.buf, nil
	}
}
