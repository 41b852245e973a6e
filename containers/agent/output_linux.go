package agent

import (
	"errors"
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

// pipeSize is what a pipe holds where that is allowed.
const pipeSize = 1 << 20

// widePipe makes a pipe that holds much, so that a burst of output does not wait for the harness.
func widePipe() (r, w *os.File, err error) {
	const setPipeSize = 1031 // F_SETPIPE_SZ
	var fds [2]int
	if err := syscall.Pipe2(fds[:], syscall.O_CLOEXEC); err != nil {
		return nil, nil, err
	}
	_, _, _ = syscall.RawSyscall(syscall.SYS_FCNTL, uintptr(fds[1]), setPipeSize, pipeSize)
	if err := syscall.SetNonblock(fds[0], true); err != nil { // ours alone: the subject's end stays as it expects it
		return nil, nil, err
	}
	return os.NewFile(uintptr(fds[0]), "output"), os.NewFile(uintptr(fds[1]), "output"), nil
}

// pump carries what comes through a pipe until its end, or until the deadline that drain sets. What is in the pipe
// by then has been written by somebody who has ended, and is carried too.
func pump(to *Writer, kind byte, from *os.File) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 && to.Frame(kind, buf[:n]) != nil {
			return
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			rest(to, kind, from, buf)
		}
		if err != nil {
			return
		}
	}
}

// rest carries what a pipe holds, and no more than a pipe can hold.
func rest(to *Writer, kind byte, from *os.File, buf []byte) {
	conn, err := from.SyscallConn()
	if err != nil || from.SetReadDeadline(time.Time{}) != nil {
		return
	}
	_ = conn.Read(func(fd uintptr) bool {
		for taken := 0; taken < 2*pipeSize; {
			n, err := syscall.Read(int(fd), buf)
			if errors.Is(err, syscall.EINTR) {
				continue
			}
			if n <= 0 || to.Frame(kind, buf[:n]) != nil {
				break
			}
			taken += n
		}
		return true
	})
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
