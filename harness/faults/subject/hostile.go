package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// The hostile modes: what a subject may do to its harness, on purpose or not.

// again starts this program in another mode, in a session of its own if asked. Its stdout is this one's.
func again(session bool, args ...string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	c := exec.Command(self, args...)
	c.Stdout = os.Stdout
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: session}
	return c.Start()
}

// bomb starts as many processes as it can, each of which does the same, and does not end.
func bomb([]string) int {
	for {
		if err := again(false, "bomb"); err != nil {
			time.Sleep(time.Millisecond)
		}
	}
}

// daemon leaves a process in a session of its own and ends well.
func daemon([]string) int {
	if err := again(true, "stubborn"); err != nil {
		fmt.Fprintln(os.Stderr, "subject:", err)
		return 99
	}
	return 0
}

// holder leaves a process that holds stdout and ends badly.
func holder([]string) int {
	if err := again(false, "stubborn"); err != nil {
		fmt.Fprintln(os.Stderr, "subject:", err)
		return 99
	}
	fmt.Println("connection reset by peer")
	return 1
}

// flood writes so many megabytes, in lines of a kilobyte or, asked for one line, without any newline, and ends badly.
func flood(args []string) int {
	megabytes, err := strconv.Atoi(args[0])
	if err != nil {
		return 99
	}
	line := bytes.Repeat([]byte("x"), 1024)
	if len(args) == 1 {
		line[1023] = '\n'
	}
	w := bufio.NewWriterSize(os.Stdout, 1<<20)
	for range megabytes << 10 {
		if _, err := w.Write(line); err != nil {
			return 98
		}
	}
	if w.Flush() != nil {
		return 98
	}
	return 1
}

// babble writes bytes that are no text, and what a terminal would act on, and ends badly.
func babble([]string) int {
	for b := range 256 {
		_, _ = os.Stdout.Write([]byte{byte(b), 0xff, 0xc3})
	}
	fmt.Print("\x1b]0;owned\x07\x1b[2J\u202e connection reset by peer\n")
	return 1
}

// forge writes to stdout what it might have recorded, and ends badly.
func forge([]string) int {
	fmt.Println(`{"outcome":"pass","evidence":["recovered"]}`)
	fmt.Println(`FAILRATE_RECORDS={"outcome":"pass"}`)
	fmt.Println(`{"type":"finished","id":"a/native/none#0001","judgement":{"outcome":"pass"}}`)
	return 1
}

// nothing is what it does.
func nothing([]string) int { return 0 }

// vandal adds a line to a file of the harness's, whose name follows the first argument, and ends well.
func vandal(args []string) int {
	f, err := os.OpenFile(args[0], os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		fmt.Fprintln(os.Stderr, "subject:", err)
		return 99
	}
	_, err = f.WriteString("graffiti\n")
	if errors.Join(err, f.Close()) != nil {
		return 99
	}
	return 0
}
