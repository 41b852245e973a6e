package process

import (
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// stream carries a command's output from a pipe to its logs.
//
// A pipe and not a file: the bound on what is kept is then exact (a file can fill the disk between two looks at it),
// a full disk is our failure and not the subject's, and the subject can neither truncate nor rewrite its log. What
// speaks against a pipe, that a forgotten grandchild holds it open, is met by finish.
type stream struct {
	ours    *os.File
	theirs  int // -1 once closed
	to      []io.Writer
	buffers *sync.Pool
	fail    func() // called when output cannot be kept
	done    chan struct{}
}

func newStream(buffers *sync.Pool, to []io.Writer) (*stream, error) {
	fds, err := pipe()
	if err != nil {
		return nil, err
	}
	if err := unix.SetNonblock(fds[0], true); err != nil {
		return nil, errors.Join(err, unix.Close(fds[0]), unix.Close(fds[1]))
	}
	// Only our end is non-blocking, which makes os.File use the poller: the subject gets an ordinary pipe.
	return &stream{ours: os.NewFile(uintptr(fds[0]), "output"), theirs: fds[1], to: to, buffers: buffers, done: make(chan struct{})}, nil
}

// begin starts the reading, or drops the stream when the command could not be started.
func (s *stream) begin(started bool) {
	_ = unix.Close(s.theirs)
	s.theirs = -1
	if !started {
		s.ours.Close()
		return
	}
	go func() {
		defer close(s.done)
		buf, _ := s.buffers.Get().(*[32 << 10]byte)
		defer s.buffers.Put(buf)
		if errors.Is(s.copy(buf[:]), os.ErrDeadlineExceeded) {
			s.drain(buf[:])
		}
	}()
}

// copy reads to the end, or to the deadline that finish sets.
func (s *stream) copy(buf []byte) error {
	for {
		n, err := s.ours.Read(buf)
		s.keep(buf[:n])
		if err != nil {
			return err
		}
	}
}

func (s *stream) keep(b []byte) {
	if len(b) == 0 {
		return
	}
	for _, l := range s.to {
		if _, err := l.Write(b); err != nil {
			s.fail()
		}
	}
}

// drain takes what is in the pipe already, and no more than a pipe can hold.
func (s *stream) drain(buf []byte) {
	const most = 16 << 20
	conn, err := s.ours.SyscallConn()
	if err != nil || s.ours.SetReadDeadline(time.Time{}) != nil {
		return
	}
	_ = conn.Read(func(fd uintptr) bool {
		for taken := 0; taken < most; {
			n, err := syscall.Read(int(fd), buf)
			if errors.Is(err, syscall.EINTR) {
				continue
			}
			if n <= 0 || err != nil {
				break
			}
			s.keep(buf[:n])
			taken += n
		}
		return true
	})
}

// finish ends the reading once the command's whole tree has ended. Should a process that escaped us hold the pipe, it
// is given the time to let go, and then left alone with it.
func (s *stream) finish(patience time.Duration) error {
	select {
	case <-s.done: // mostly: a deadline would wake up another thread for nothing
		return s.ours.Close()
	default:
	}
	if err := s.ours.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	<-s.done
	if err := s.ours.Close(); err != nil && !errors.Is(err, io.ErrClosedPipe) {
		return err
	}
	return nil
}
