package stress

import (
	"context"
	"os"
	"time"
)

// watchFunc calls see(true) for each touch of a file and see(false) for each removal until ctx ends. A file that is
// there when it begins counts as touched.
type watchFunc func(ctx context.Context, see func(touched bool)) error

// lookEvery is the time between two looks where the system does not tell of changes.
const lookEvery = time.Millisecond

// poll is the watch that works everywhere: it looks at the file again and again.
func poll(path string) watchFunc {
	return func(ctx context.Context, see func(touched bool)) error {
		ticks := time.NewTicker(lookEvery)
		defer ticks.Stop()
		var last sight
		for {
			now := look(path)
			if touched, changed := now.since(last); changed {
				see(touched)
			}
			last = now
			select {
			case <-ctx.Done():
				return nil
			case <-ticks.C:
			}
		}
	}
}

// sight is what one look at the file shows. The zero value is no file.
type sight struct {
	there bool
	time  time.Time
	size  int64
	file  os.FileInfo
}

func look(path string) sight {
	info, err := os.Lstat(path) // a subject's link is never followed
	if err != nil {
		return sight{}
	}
	return sight{there: true, time: info.ModTime(), size: info.Size(), file: info}
}

// since says what happened between an earlier look and this one.
func (s sight) since(last sight) (touched, changed bool) {
	switch {
	case !s.there:
		return false, last.there
	case !last.there:
		return true, true
	default:
		same := s.time.Equal(last.time) && s.size == last.size && os.SameFile(s.file, last.file)
		return true, !same
	}
}
