package stress

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"
	"time"
)

// DefaultWindow is how long a burst lasts after the last touch when Options.Window does not say.
const DefaultWindow = 30 * time.Millisecond

// BurstVariable is the environment variable that tells a subject, and a worker inside a container, the burst file.
const BurstVariable = "FAILRATE_BURST"

// workerArgument is the first argument of a process that was started as a worker. It shows in process lists.
const workerArgument = "__stress-worker"

// IsWorker reports whether this process was started as a stress worker. A program that calls Start asks it first.
func IsWorker() bool { return len(os.Args) > 1 && os.Args[1] == workerArgument }

// RunWorker is the rest of main when IsWorker; it gives the exit status.
func RunWorker() int { return Worker(os.Args[2:]) }

// WorkerArgs gives the arguments with which Worker holds this level; where there is no other path, it follows the burst
// file that FAILRATE_BURST names. A window of 0 means DefaultWindow.
func (l Level) WorkerArgs(window time.Duration) []string {
	args := []string{"-level=" + l.String()}
	if l.Burst && window > 0 {
		args = append(args, "-window="+window.String())
	}
	return args
}

// Worker is a whole stress worker: it holds the level that the arguments (from WorkerArgs) name until standard input
// ends or the process is killed. It gives the exit status: 0, or 2 with one line on stderr when it cannot hold it.
// The place of the level does not matter: a worker loads the machine or the container in which it runs.
func Worker(args []string) int {
	if err := work(args, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return 2
	}
	return 0
}

// orders are a worker's arguments.
type orders struct {
	level  Level
	cores  int
	path   string // of the burst file
	window time.Duration
	serve  bool // write a usage to stdout when ready and for every line on stdin
}

func readOrders(args []string) (o orders, err error) {
	set := flag.NewFlagSet("stress worker", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	text := set.String("level", "", "the level to hold, in words")
	set.IntVar(&o.cores, "cores", runtime.NumCPU(), "cores that the level is multiplied by")
	set.StringVar(&o.path, "burst", os.Getenv(BurstVariable), "path of the burst file")
	set.DurationVar(&o.window, "window", DefaultWindow, "length of a burst")
	set.BoolVar(&o.serve, "serve", false, "report usage on stdout")
	if err := set.Parse(args); err != nil {
		return o, fmt.Errorf("stress worker: %w", err)
	}
	if o.level, err = ParseLevel(*text); err != nil {
		return o, err
	}
	switch {
	case o.level.Count(o.cores) == 0:
		return o, fmt.Errorf("stress level %q has no workers", *text)
	case o.level.Burst && o.path == "":
		return o, errors.New("a burst level needs the path of the burst file: set " + BurstVariable)
	case o.window <= 0:
		return o, fmt.Errorf("a burst of %v is no burst", o.window)
	}
	return o, nil
}

// work holds the level until in ends.
func work(args []string, in io.Reader, out io.Writer) error {
	o, err := readOrders(args)
	if err != nil {
		return err
	}
	w := &worker{start: time.Now(), count: o.level.Count(o.cores)}
	if err := w.hold(o); err != nil {
		return err
	}
	if !o.serve {
		_, err := io.Copy(io.Discard, in)
		return err
	}
	return w.serve(in, out)
}

// worker is a process that burns. It ends by exit: its burners and its watch are never stopped.
type worker struct {
	start time.Time
	count int
	gate  *gate
}

// hold starts the burners and, for bursts, the watch of their file.
func (w *worker) hold(o orders) error {
	runtime.GOMAXPROCS(w.count + 2) // a busy thread each, one for the watch and one for the parent's questions
	debug.SetGCPercent(-1)
	w.gate = newGate(0)
	if o.level.Burst {
		w.gate = newGate(o.window)
		follow, err := watch(o.path)
		if err != nil {
			return err
		}
		go w.follow(follow)
	}
	var ready sync.WaitGroup
	ready.Add(w.count)
	for i := range w.count {
		go w.burn(o.level, i, &ready)
	}
	ready.Wait()
	return nil
}

// burn is one busy thread.
func (w *worker) burn(l Level, i int, ready *sync.WaitGroup) {
	b := burner{thread: lockThread(w.start), gate: w.gate, duty: l.Duty}
	if b.duty == 0 {
		b.duty = 1
	}
	if b.duty < 1 && !l.Burst {
		b.phase = period * time.Duration(i) / time.Duration(w.count)
	}
	ready.Done()
	ready.Wait() // all begin at once: threads that burn hold up the making of the others
	b.run()
}

// follow opens and shuts the gate as the burst file comes and goes. Without its watch the worker is of no use.
func (w *worker) follow(follow watchFunc) {
	err := follow(context.Background(), func(touched bool) {
		if now := time.Since(w.start); touched {
			w.gate.touch(now)
		} else {
			w.gate.remove(now)
		}
	})
	fmt.Fprintln(os.Stderr, "error:", err)
	os.Exit(2)
}

// serve writes a usage at once and one for every line read, until in ends.
func (w *worker) serve(in io.Reader, out io.Writer) error {
	lines := bufio.NewReader(in)
	for {
		u, err := w.usage()
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(out, u); err != nil {
			return fmt.Errorf("report usage: %w", err)
		}
		if _, err := lines.ReadString('\n'); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read a question: %w", err)
		}
	}
}

// usage is what the worker's process has used so far.
func (w *worker) usage() (usage, error) {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return usage{}, os.NewSyscallError("getrusage", err)
	}
	u := usage{workers: w.count, at: time.Since(w.start), cpu: time.Duration(r.Utime.Nano() + r.Stime.Nano())}
	u.bursts, u.bursting = w.gate.bursts(u.at)
	return u, nil
}
