package stress

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
)

// How long a worker's process may take that is there and does not speak, or does not end. The limits are long, because
// the machine is loaded on purpose.
const (
	startLimit  = time.Minute
	answerLimit = 20 * time.Second
	endLimit    = 5 * time.Second
)

// markVariable in a worker's environment keeps a program that does not call RunWorker, and so would start itself again
// and again, from doing so more than once.
const markVariable = "FAILRATE_STRESS_WORKER"

// process is the workers' process, as its parent sees it.
type process struct {
	cmd       *exec.Cmd
	ended     chan struct{} // closed when the process is gone and waited for
	complaint bytes.Buffer  // its stderr; read after ended

	mu      sync.Mutex // one question at a time
	ask     *os.File
	answers *os.File
	lines   *bufio.Reader
	last    usage // the newest that is known
	mute    error // why nothing can be asked any more
}

// launch starts the workers' process and waits until it holds its load. It runs program; argv[0] is the name that
// process lists show.
func launch(ctx context.Context, program string, argv []string) (*process, error) {
	if os.Getenv(markVariable) != "" {
		return nil, errors.New("start stress worker: this process is one: its main must call stress.RunWorker first of all")
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("start stress worker: %w", context.Cause(ctx))
	}
	p := &process{ended: make(chan struct{})}
	if err := p.start(program, argv); err != nil {
		return nil, fmt.Errorf("start stress worker: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { p.kill() })
	defer stop()
	if _, err := p.answer(time.Now().Add(startLimit)); err != nil {
		p.end()
		if cause := context.Cause(ctx); cause != nil {
			return nil, fmt.Errorf("start stress worker: %w", cause)
		}
		return nil, fmt.Errorf("start stress worker: %w%s", err, p.why())
	}
	return p, nil
}

// start starts the process with a pipe in and a pipe out, from a thread that lives as long as it does.
func (p *process) start(program string, argv []string) error {
	in, ask, err := os.Pipe()
	if err != nil {
		return err
	}
	defer in.Close()
	answers, out, err := os.Pipe()
	if err != nil {
		ask.Close()
		return err
	}
	defer out.Close()
	p.ask, p.answers, p.lines = ask, answers, bufio.NewReaderSize(answers, 512)
	p.cmd = exec.Command(program)
	p.cmd.Args = argv
	p.cmd.Env = []string{markVariable + "=1"}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = in, out, &capped{to: &p.complaint}
	p.cmd.SysProcAttr = processAttributes()
	started := make(chan error, 1)
	go p.own(started)
	if err := <-started; err != nil {
		ask.Close()
		answers.Close()
		return err
	}
	return nil
}

// own starts the process and waits for its end on one thread. Linux sends the parent-death signal when the thread that
// started a process ends, not when the whole parent does, so that thread must not end before.
func (p *process) own(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err == nil {
		_ = p.cmd.Wait() // how it ended is in ProcessState
		close(p.ended)
	}
}

// usage asks the process what it has used so far.
func (p *process) usage() (usage, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mute != nil {
		return p.last, p.mute
	}
	if _, err := p.ask.WriteString("\n"); err != nil {
		p.mute = fmt.Errorf("ask stress worker: %w", err)
		return p.last, p.mute
	}
	return p.read(time.Now().Add(answerLimit))
}

func (p *process) answer(limit time.Time) (usage, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.read(limit)
}

// read reads one answer. After a failure the next line might be the answer to an earlier question, so there is no next.
func (p *process) read(limit time.Time) (usage, error) {
	err := p.answers.SetReadDeadline(limit)
	var line []byte
	if err == nil {
		line, err = p.lines.ReadSlice('\n')
	}
	var u usage
	if err == nil {
		u, err = parseUsage(string(line))
	}
	if err != nil {
		p.mute = fmt.Errorf("hear from stress worker: %w", err)
		return p.last, p.mute
	}
	p.last = u
	return u, nil
}

// closed reports whether the process's answers have come to their end.
func (p *process) closed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return errors.Is(p.mute, io.EOF)
}

// kill ends the process without waiting.
func (p *process) kill() { _ = p.cmd.Process.Kill() }

// end kills the process, waits for it, and gives its CPU time as the kernel billed it. A process that has closed its
// pipe is ending by itself, and how it does is worth knowing.
func (p *process) end() time.Duration {
	if p.closed() {
		select {
		case <-p.ended:
		case <-time.After(endLimit):
		}
	}
	p.kill()
	<-p.ended
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mute == nil {
		p.mute = errors.New("stress worker has ended")
	}
	p.ask.Close()
	p.answers.Close()
	return p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()
}

// why adds the process's own last words and the way it ended to an error, after end.
func (p *process) why() string {
	text := " (it ended by " + p.cmd.ProcessState.String() + ")"
	if first, _, _ := strings.Cut(strings.TrimSpace(p.complaint.String()), "\n"); first != "" {
		text += fmt.Sprintf(": %.300q", first)
	}
	return text
}

// capped keeps the first bytes and takes the rest without keeping it.
type capped struct{ to *bytes.Buffer }

func (c *capped) Write(b []byte) (int, error) {
	const most = 4 << 10
	c.to.Write(b[:min(len(b), max(0, most-c.to.Len()))])
	return len(b), nil
}
