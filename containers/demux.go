package containers

import (
	"bufio"
	"fmt"
	"io"
)

// demux takes the agent's stdout out of the engine's stream and keeps the end of its stderr, where a crash would show.
type demux struct {
	from   *bufio.Reader
	left   int  // bytes of the current piece
	stdout bool // whether they are stdout's
	stderr tail
}

// Read gives stdout's bytes.
func (d *demux) Read(b []byte) (int, error) {
	for {
		if d.left == 0 {
			if err := d.head(); err != nil {
				return 0, err
			}
			continue
		}
		if !d.stdout {
			if err := d.skip(); err != nil {
				return 0, err
			}
			continue
		}
		n, err := d.from.Read(b[:min(len(b), d.left)])
		d.left -= n
		return n, err
	}
}

// head reads the 8 bytes before each piece: the stream, three zeros, the size.
func (d *demux) head() error {
	var h [8]byte
	if _, err := io.ReadFull(d.from, h[:]); err != nil {
		return err
	}
	if h[0] > 3 {
		return fmt.Errorf("the engine's stream is damaged: stream %d", h[0])
	}
	d.stdout = h[0] == 1
	d.left = int(h[4])<<24 | int(h[5])<<16 | int(h[6])<<8 | int(h[7])
	return nil
}

func (d *demux) skip() error {
	piece := make([]byte, min(d.left, 4<<10))
	n, err := d.from.Read(piece)
	d.left -= n
	d.stderr.write(piece[:n])
	return err
}

// tail keeps the last bytes written to it.
type tail struct{ kept []byte }

const tailSize = 8 << 10

func (t *tail) write(b []byte) {
	t.kept = append(t.kept, b...)
	if len(t.kept) > tailSize {
		t.kept = append(t.kept[:0], t.kept[len(t.kept)-tailSize:]...)
	}
}
