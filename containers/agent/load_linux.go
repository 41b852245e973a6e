package agent

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"
)

// ServeFlag is added to a stress worker's arguments: it then writes a line to its stdout once it holds its load, and
// ends when its stdin does. What it writes before, and to stderr, is why it cannot.
const ServeFlag = "-serve"

// loadPatience bounds the wait for a stress worker to hold its load. It is long, as the machine is loaded on purpose.
const loadPatience = time.Minute

// startLoad starts the stress worker, if any, as another process of this program, waits until it holds its load, and
// gives the attempt's family.
func startLoad(args, env []string) (*family, error) {
	f := &family{}
	if len(args) == 0 {
		return f, nil
	}
	err := f.launchLoad(append([]string{Program, Argument, loadArgument}, append(args, ServeFlag)...), env)
	if err == nil {
		err = f.awaitLoad()
	}
	if err != nil {
		f.endAll(&Result{})
		f.stopLoad()
		return nil, fmt.Errorf("start the stress worker: %w", err)
	}
	return f, nil
}

func (f *family) launchLoad(argv, env []string) error {
	in, hold, err := os.Pipe()
	if err != nil {
		return err
	}
	defer in.Close()
	f.hold = hold
	said, out, err := widePipe()
	if err != nil {
		return err
	}
	defer out.Close()
	f.said = said
	f.load, err = syscall.ForkExec(Program, argv, &syscall.ProcAttr{
		Dir: "/", Env: env, Files: []uintptr{in.Fd(), out.Fd(), out.Fd()}, Sys: &syscall.SysProcAttr{Setpgid: true}})
	return err
}

func (f *family) awaitLoad() error {
	if err := f.said.SetReadDeadline(time.Now().Add(loadPatience)); err != nil {
		return err
	}
	line, err := bufio.NewReader(f.said).ReadString('\n')
	if why, is := strings.CutPrefix(line, "error: "); is {
		return errors.New(strings.TrimSpace(why))
	}
	return err
}

// stopLoad lets go of the stress worker; the KILL to everything has ended it.
func (f *family) stopLoad() {
	for _, end := range []*os.File{f.hold, f.said} {
		if end != nil {
			end.Close()
		}
	}
}
