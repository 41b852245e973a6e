// Hostile is the program of the executor's own tests: each argument is something that a subject may do to its
// container, to its agent, or to the network.
package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	for _, arg := range os.Args[1:] {
		verb, value, _ := strings.Cut(arg, "=")
		if err := do(verb, value); err != nil {
			fmt.Printf("%s: %v\n", arg, err)
			os.Exit(99)
		}
	}
}

func do(verb, value string) error {
	switch verb {
	case "allocate": // megabytes, each page of them written
		n, err := strconv.Atoi(value)
		hold := bytes.Repeat([]byte{1}, n<<20)
		fmt.Println("allocated", len(hold))
		return err
	case "allocate-in-child":
		err := exec.Command("/proc/self/exe", "allocate="+value).Run()
		fmt.Println("child:", err)
		return nil
	case "crowd": // many small processes, which together are too large
		return crowd(value)
	case "bomb":
		return bomb()
	case "kill-others": // whatever else there is, and wait until it is gone
		for syscall.Kill(-1, syscall.SIGKILL) == nil {
			time.Sleep(time.Millisecond)
		}
	case "attack":
		attack()
		return nil
	case "status": // lines of /proc/self/status that have one of these names
		return status(strings.Split(value, ","))
	case "send": // over the loopback interface
		return send()
	case "interfaces":
		list, err := net.Interfaces()
		for _, i := range list {
			fmt.Println(i.Name)
		}
		return err
	case "spin":
		d, err := time.ParseDuration(value)
		for end := time.Now().Add(d); time.Now().Before(end); {
		}
		return err
	case "burn": // CPU time, by four threads
		d, err := time.ParseDuration(value)
		for range 3 {
			go func() {
				for {
				}
			}()
		}
		for used := time.Duration(0); used < d; {
			var r syscall.Rusage
			if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
				return err
			}
			used = time.Duration(r.Utime.Nano() + r.Stime.Nano())
		}
		return err
	case "hostname":
		name, err := os.Hostname()
		fmt.Println(name)
		return err
	case "await": // a file's existence
		for {
			if _, err := os.Stat(os.ExpandEnv(value)); err == nil {
				return nil
			}
			time.Sleep(time.Millisecond)
		}
	case "touch":
		return os.WriteFile(os.ExpandEnv(value), nil, 0o600)
	case "remove":
		return os.Remove(os.ExpandEnv(value))
	case "shut": // a folder in the scratch folder that nobody may enter
		dir := filepath.Join(os.Getenv("TMPDIR"), "shut")
		if err := os.MkdirAll(filepath.Join(dir, "in"), 0o700); err != nil {
			return err
		}
		return os.Chmod(dir, 0)
	case "sparse": // a file of so many bytes
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return err
		}
		path := filepath.Join(os.Getenv("FAILRATE_ARTIFACTS"), "sparse")
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			return err
		}
		return os.Truncate(path, n)
	case "pipe-as-records":
		return syscall.Mkfifo(os.Getenv("FAILRATE_RECORDS"), 0o600)
	case "sleep":
		time.Sleep(24 * time.Hour)
	case "exit":
		n, err := strconv.Atoi(value)
		if err != nil {
			return err
		}
		os.Exit(n)
	case "print":
		fmt.Println(value)
	default:
		return fmt.Errorf("unknown")
	}
	return nil
}

// bomb starts copies of itself until it may not, and so does each of them.
func bomb() error {
	for {
		c := exec.Command("/proc/self/exe", "bomb")
		if err := c.Start(); err != nil {
			time.Sleep(time.Millisecond)
		}
	}
}

// crowd starts so many processes of a megabyte each, and waits for the first to be killed.
func crowd(value string) error {
	n, err := strconv.Atoi(value)
	if err != nil {
		return err
	}
	killed := make(chan error)
	for range n {
		c := exec.Command("/proc/self/exe", "allocate=1", "sleep")
		if err := c.Start(); err != nil {
			return err
		}
		go func() { killed <- c.Wait() }()
	}
	fmt.Println("one of them:", <-killed)
	return nil
}

// attack tries to speak for the agent and to end it, and says what came of it.
func attack() {
	forged := []byte("r\x00\x00\x00\x12{\"seq\":1,\"exit\":0}")
	for _, path := range []string{"/proc/1/fd/1", "/proc/1/fd/2", "/proc/1/mem"} {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err == nil {
			_, err = f.Write(forged)
			f.Close()
		}
		fmt.Println(path, err != nil)
	}
	fmt.Println("ptrace", syscall.PtraceAttach(1) != nil)
	os.Stdout.Write(forged) // on its own stdout it is output like any other
	for s := syscall.Signal(1); s < 65; s++ {
		_ = syscall.Kill(1, s)
	}
	fmt.Println()
}

func status(names []string) error {
	b, err := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(b)) {
		name, value, _ := strings.Cut(line, ":")
		for _, n := range names {
			if n == name {
				fmt.Println(n, strings.TrimSpace(value))
			}
		}
	}
	return err
}

func send() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer l.Close()
	go func() {
		if c, err := l.Accept(); err == nil {
			c.Write([]byte("over loopback\n"))
			c.Close()
		}
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		return err
	}
	_, err = io.Copy(os.Stdout, c)
	return err
}
