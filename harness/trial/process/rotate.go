package process

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"slices"
)

// rotate makes the byte at mid the first of [from, to), in place: what stood before mid comes after the rest.
// Three reversals do it with no more than two buffers.
func rotate(f *os.File, from, to, mid int64) error {
	if mid == from {
		return nil
	}
	for _, part := range [][2]int64{{from, mid}, {mid, to}, {from, to}} {
		if err := reverse(f, part[0], part[1]); err != nil {
			return err
		}
	}
	return nil
}

// reverse turns [from, to) of a file round, working from both ends to the middle.
func reverse(f *os.File, from, to int64) error {
	const chunk = 64 << 10
	var low, high [chunk]byte
	for to-from > 1 {
		n := min(chunk, (to-from)/2)
		l, h := low[:n], high[:n]
		if _, err := f.ReadAt(l, from); err != nil {
			return err
		}
		if _, err := f.ReadAt(h, to-n); err != nil {
			return err
		}
		slices.Reverse(l)
		slices.Reverse(h)
		if _, err := f.WriteAt(h, from); err != nil {
			return err
		}
		if _, err := f.WriteAt(l, to-n); err != nil {
			return err
		}
		from, to = from+n, to-n
	}
	return nil
}

// digest is the hex SHA-256 of a whole file.
func digest(f *os.File) (string, error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
