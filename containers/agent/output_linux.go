package agent

import (
	"os"
	"sync"
	"syscall"
	"time"
)

// output carries what the subject writes to the harness while it runs. One pipe takes both streams, which keeps
// their order; two are used when stdout is wanted apart.
type output struct {
	null    *os.File // the subject's stdin
	readers []*os.File
	writers []*os.File
	pumps   sync.WaitGroup
}

func (s *server) newOutput(split bool) (*output, error) {
	if s.null == nil {
		var err error
		if s.null, err = os.Open(os.DevNull); err != nil {
			return nil, err
		}
	}
	o := &output{null: s.null}
	kinds := []byte{KindOutput}
	if split {
		kinds = append(kinds, KindError)
	}
	for _, kind := range kinds {
		r, w, err := widePipe()
		if err != nil {
			o.close()
			return nil, err
		}
		o.readers, o.writers = append(o.readers, r), append(o.writers, w)
		o.pumps.Go(func() { pump(s.frames, kind, r) })
	}
	return o, nil
}

// widePipe makes a pipe that holds a megabyte where allowed, so that a burst of output does not wait for the harness.
func widePipe() (r, w *os.File, err error) {
	const setPipeSize, size = 1031, 1 << 20
	var fds [2]int
	if err := syscall.Pipe2(fds[:], syscall.O_CLOEXEC); err != nil {
		return nil, nil, err
	}
	_, _, _ = syscall.RawSyscall(syscall.SYS_FCNTL, uintptr(fds[1]), setPipeSize, size)
	if err := syscall.SetNonblock(fds[0], true); err != nil { // ours alone: the subject's end stays as it expects it
		return nil, nil, err
	}
	return os.NewFile(uintptr(fds[0]), "output"), os.NewFile(uintptr(fds[1]), "output"), nil
}

func pump(to *Writer, kind byte, from *os.File) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			if to.Frame(kind, buf[:n]) != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// files are the subject's stdin, stdout and stderr.
func (o *output) files() []uintptr {
	last := o.writers[len(o.writers)-1]
	return []uintptr{o.null.Fd(), o.writers[0].Fd(), last.Fd()}
}

func (o *output) closeWriters() {
	for _, w := range o.writers {
		w.Close()
	}
	o.writers = nil
}

// drain waits until the last of the output has been carried, at most for the given time.
func (o *output) drain(most time.Duration) {
	for _, r := range o.readers {
		_ = r.SetReadDeadline(time.Now().Add(most))
	}
	o.pumps.Wait()
}

func (o *output) close() {
	o.closeWriters()
	for _, r := range o.readers {
		r.Close()
	}
	o.pumps.Wait()
}
