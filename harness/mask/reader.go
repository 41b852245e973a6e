package mask

import "io"

// chunk is how much is read at a time.
const chunk = 64 << 10

// reader hides secrets in a stream. It holds back the last bytes of what it read, which may be the beginning of one.
type reader struct {
	mask *Mask
	from io.Reader
	raw  []byte // read and not yet looked through
	out  []byte // looked through and not yet given
	err  error  // of from, given after out
}

// Read implements io.Reader.
func (r *reader) Read(p []byte) (int, error) {
	for len(r.out) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		used := len(r.raw)
		grown := append(r.raw[:used:used], make([]byte, chunk)...)
		n, err := r.from.Read(grown[used:])
		r.err = err
		r.out, r.raw = r.mask.scan(r.out[:0], grown[:used+n], err != nil)
	}
	n := copy(p, r.out)
	r.out = r.out[n:]
	return n, nil
}
