package mask

import "io"

// chunk is how much is read at a time.
const chunk = 64 << 10

// reader hides secrets in a stream. It holds back the last bytes of what it read, which may be the beginning of one.
type reader struct {
	mask *Mask
	from io.Reader
	raw  []byte // read and not yet looked through, at the front of its room
	out  []byte // looked through and not yet given
	err  error  // of from, given after out
}

// Read implements io.Reader.
func (r *reader) Read(p []byte) (int, error) {
	for len(r.out) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		if r.raw == nil {
			r.raw = make([]byte, 0, chunk+r.mask.longest)
		}
		n, err := r.from.Read(r.raw[len(r.raw):cap(r.raw)])
		var rest []byte
		r.out, rest = r.mask.scan(r.out[:0], r.raw[:len(r.raw)+n], err != nil)
		r.raw, r.err = r.raw[:copy(r.raw[:cap(r.raw)], rest)], err
	}
	n := copy(p, r.out)
	r.out = r.out[n:]
	return n, nil
}
