package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process does the steps that concern processes and signals.
func process(verb, value string) error {
	switch verb {
	case "exit":
		n, err := strconv.Atoi(value)
		if err != nil {
			return err
		}
		os.Exit(n)
	case "raise":
		return raise(value)
	case "ignore":
		signal.Ignore(syscall.SIGTERM)
	case "onterm":
		return onTerm(value)
	case "sleep":
		time.Sleep(10 * time.Minute) // an end of its own, should a broken executor forget it
	case "spin":
		return spin(value)
	case "spawn":
		return spawn(value)
	case "headless":
		return headless()
	case "ready":
		return os.NewFile(3, "ready").Close()
	default:
		return fmt.Errorf("unknown step %q", verb)
	}
	return nil
}

// raise ends the program by a signal that it does not handle.
func raise(name string) error {
	signals := map[string]syscall.Signal{"SIGKILL": syscall.SIGKILL, "SIGHUP": syscall.SIGHUP}
	s, ok := signals[name]
	if !ok {
		return fmt.Errorf("unknown signal %q", name)
	}
	if err := syscall.Kill(os.Getpid(), s); err != nil {
		return err
	}
	time.Sleep(time.Minute)
	return nil
}

// onTerm says that TERM came and exits with the given status.
func onTerm(value string) error {
	status, err := strconv.Atoi(value)
	if err != nil {
		return err
	}
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	go func() {
		<-c
		fmt.Println("got TERM")
		os.Exit(status)
	}()
	return nil
}

// spin burns CPU time of its own: so many milliseconds.
func spin(value string) error {
	ms, err := strconv.Atoi(value)
	if err != nil {
		return err
	}
	var u syscall.Rusage
	for {
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			return err
		}
		if used := time.Duration(u.Utime.Nano() + u.Stime.Nano()); used >= time.Duration(ms)*time.Millisecond {
			return nil
		}
	}
}

// spawn starts a second copy of this program that stays, and waits until it is set up.
//
//	held     in our process group, holding our stdout
//	quiet    in our process group, its streams closed
//	stubborn the same, and ignores TERM
//	setsid   in a session of its own, its streams closed
//	daemon   as setsid, and its parent (a copy between us and it) is gone
//	bare     as daemon, with an empty environment
//	brief    a daemon that ends by itself at once
//	headless a daemon whose first thread has ended
func spawn(kind string) error {
	args := []string{"ready=", "sleep="}
	var attr syscall.SysProcAttr
	switch kind {
	case "held", "quiet":
	case "stubborn":
		args = []string{"ignore=", "ready=", "sleep="}
	case "setsid":
		attr.Setsid = true
	case "daemon", "bare", "brief", "headless":
		return detach(kind)
	case "last", "lastbare":
		attr.Setsid = true
	case "lastheadless":
		attr.Setsid = true
		args = []string{"headless="}
	case "lastbrief":
		attr.Setsid = true
		args = []string{"ready="}
	default:
		return fmt.Errorf("unknown kind %q", kind)
	}
	return start(kind, args, &attr)
}

// detach starts a copy that starts the daemon and ends.
func detach(kind string) error {
	c := exec.Command(self(), token(), "spawn=last"+strings.TrimPrefix(kind, "daemon"))
	c.Stderr = os.Stderr
	return c.Run()
}

func start(kind string, args []string, attr *syscall.SysProcAttr) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	c := exec.Command(self(), append([]string{token()}, args...)...)
	c.SysProcAttr = attr
	c.ExtraFiles = []*os.File{w}
	if kind == "held" {
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
	}
	if kind == "lastbare" {
		c.Env = []string{}
	}
	if err := c.Start(); err != nil {
		return err
	}
	w.Close()
	_, err = r.Read(make([]byte, 1)) // ends when the copy has closed its end
	if err == nil {
		return fmt.Errorf("the copy wrote instead of closing")
	}
	return nil
}

// self is the path of this program. /proc is not there in every image, so its own name is tried first.
func self() string {
	if strings.HasPrefix(os.Args[0], "/") {
		return os.Args[0]
	}
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}

// token is our own mark, handed on to every copy.
func token() string {
	for _, a := range os.Args {
		if strings.HasPrefix(a, "token=") {
			return a
		}
	}
	return "token=none"
}
