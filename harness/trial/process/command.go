package process

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Command is what to start.
type Command struct {
	Path   string   // of the program
	Args   []string // with the program's name at the front
	Dir    string
	Env    []string  // NAME=value; Marker is set
	Log    io.Writer // takes stdout and stderr; an error of its ends the process, whose output cannot be kept
	Stdout io.Writer // takes stdout as well; nil means not wanted
}

// Process is a started command and everything that it starts.
type Process struct {
	session *Session
	marker  string
	pid     int
	handle  int // a pidfd, or -1
	began   time.Time
	streams []*stream

	mu     sync.Mutex
	broken bool // output could not be kept
	end    *stopper
}

// Start starts a command in a process group of its own, with an empty standard input and no terminal. An error means that nothing runs. After it, Wait must be called.
func (s *Session) Start(c Command) (*Process, error) {
	p := &Process{session: s, marker: s.mark(), handle: -1}
	var err error
	if c.Stdout == nil {
		err = p.open(c.Log)
	} else {
		err = errors.Join(p.open(c.Log, c.Stdout), p.open(c.Log))
	}
	if err == nil {
		err = p.launch(c)
	}
	for _, st := range p.streams {
		st.begin(err == nil)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// open makes a stream for the command's output.
func (p *Process) open(to ...io.Writer) error {
	st, err := newStream(&p.session.buffers, to)
	if err != nil {
		return fmt.Errorf("make a pipe: %w", err)
	}
	st.fail = p.spoil
	p.streams = append(p.streams, st)
	return nil
}

func (p *Process) launch(c Command) error {
	attr := &syscall.ProcAttr{
		Dir: c.Dir,
		Env: Environ(c.Env, Marker+"="+p.marker),
		Files: []uintptr{
			p.session.null.Fd(), uintptr(p.streams[0].theirs), uintptr(p.streams[len(p.streams)-1].theirs),
		},
		Sys: p.session.system.apart(&p.handle),
	}
	s := p.session
	s.mu.Lock() // what is started is on record before anybody can ask
	defer s.mu.Unlock()
	p.began = time.Now()
	pid, err := syscall.ForkExec(c.Path, c.Args, attr)
	if err != nil {
		return explain(c, err)
	}
	p.pid = pid
	s.active[pid] = p
	s.trees++
	return nil
}

// Environ sets variables in an environment, each given as NAME=value. A name that is there already is replaced, as
// programs differ in which of two they take.
func Environ(base []string, set ...string) []string {
	env := make([]string, 0, len(base)+len(set))
	for _, v := range base {
		if !slices.ContainsFunc(set, func(s string) bool { return sameName(s, v) }) {
			env = append(env, v)
		}
	}
	return append(env, set...)
}

func sameName(a, b string) bool {
	end := strings.IndexByte(a, '=')
	return end > 0 && len(b) > end && a[:end+1] == b[:end+1]
}

// spoil ends the process at once: its output cannot be kept, so whatever it goes on to do is of no use.
func (p *Process) spoil() {
	p.mu.Lock()
	p.broken = true
	end := p.end
	p.mu.Unlock()
	if end != nil {
		end.abandon()
	}
}

// explain says what is missing: the kernel reports a missing folder, program and interpreter alike.
func explain(c Command, err error) error {
	if s, serr := os.Stat(c.Dir); serr != nil || !s.IsDir() {
		return fmt.Errorf("start %q: its folder %q is missing: %w", c.Path, c.Dir, err)
	}
	_, serr := os.Stat(c.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && serr == nil:
		return fmt.Errorf("start %q: the interpreter that its first line names is missing: %w", c.Path, err)
	case errors.Is(err, syscall.ENOEXEC):
		return fmt.Errorf("start %q: neither a program for this machine nor a script with a #! line: %w", c.Path, err)
	case errors.Is(err, syscall.EAGAIN):
		return fmt.Errorf("start %q: no more processes allowed: %w", c.Path, err)
	}
	return fmt.Errorf("start %q: %w", c.Path, err)
}
