package agent

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
)

// Worker runs the stress worker with its arguments until it is killed, and gives its exit status.
type Worker func(args []string) int

// Main is the whole program; args are the arguments after Argument. A nil worker knows no stress.
// It gives the exit status of the process.
func Main(args []string, worker Worker) int {
	if len(args) > 1 && args[0] == loadArgument {
		if worker == nil {
			fmt.Fprintln(os.Stderr, "error: this agent was built without a stress worker")
			return 2
		}
		return worker(args[1:])
	}
	if os.Getpid() != 1 {
		fmt.Fprintln(os.Stderr, "error: the agent runs only as process 1 of a container of failrate")
		return 2
	}
	if len(args) > 0 && args[0] == GateArgument {
		return gate(os.Stdin, os.Stdout)
	}
	return serve(os.Stdin, os.Stdout)
}

const loadArgument = "load"

// server is the agent while it waits for orders and carries them out.
type server struct {
	frames *Writer
	orders chan Order // closed never; the end of stdin ends the process
	killed int64      // processes of earlier attempts that were ended for want of memory
	null   *os.File   // opened with the first attempt
}

func serve(in io.Reader, out io.Writer) int {
	protect()
	s := &server{frames: &Writer{To: out}, orders: make(chan Order)}
	if err := s.frames.Value(KindHello, Hello{Version: Version, UID: os.Getuid(), GID: os.Getgid()}); err != nil {
		return 1
	}
	go s.listen(in)
	for o := range s.orders {
		if o.Run == nil {
			continue // a Stop that came too late
		}
		if err := s.frames.Value(KindResult, s.run(*o.Run)); err != nil {
			return 1
		}
		if o.Run.Last {
			return 0
		}
	}
	return 0
}

// listen reads orders until stdin ends. Then nobody is left to report to, so everything ends, the container included.
func (s *server) listen(in io.Reader) {
	lines := json.NewDecoder(in)
	for {
		var o Order
		if err := lines.Decode(&o); err != nil {
			break
		}
		s.orders <- o
	}
	_ = syscall.Kill(-1, syscall.SIGKILL)
	os.Exit(0)
}

// protect keeps the subject from reaching the agent: no debugger and no /proc/1/fd for processes of the same user,
// no signal that ends it, and threads made in advance, because under a fork bomb there are none to be had.
func protect() {
	const prSetDumpable = 4
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, prSetDumpable, 0, 0)
	runtime.GOMAXPROCS(2)                  // which also bounds the threads that the runtime wants, however many CPUs there are
	signal.Notify(make(chan os.Signal, 1)) // caught and forgotten; unlike ignored ones, children do not inherit them
	spareThreads(6)
}

func spareThreads(n int) {
	var all, done sync.WaitGroup
	all.Add(n)
	done.Add(n)
	for range n {
		go func() {
			runtime.LockOSThread() // one thread each, until every one has its own
			all.Done()
			all.Wait()
			runtime.UnlockOSThread()
			done.Done()
		}()
	}
	done.Wait()
}
