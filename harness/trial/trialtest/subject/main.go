// Subject is the program that the behaviour suite runs as a trial: it does what its arguments say, in their order.
//
// It takes steps such as stdout=hello, spawn=setsid and exit=7, and needs no file, shell or library beside it, so it
// runs on a bare host and in an image built from scratch alike. It judges nothing; the suite does.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

func main() {
	runtime.LockOSThread() // to the first thread, for headless
	for _, arg := range os.Args[1:] {
		verb, value, _ := strings.Cut(arg, "=")
		if err := step(verb, value); err != nil {
			fmt.Fprintf(os.Stderr, "subject: %s: %v\n", arg, err)
			os.Exit(99)
		}
	}
}

// step does one thing. The verbs that concern processes and signals are in process.go.
func step(verb, value string) error {
	switch verb {
	case "token": // only marks the process, so that the suite can tell what is left of it
	case "stdout":
		fmt.Println(value)
	case "stderr":
		fmt.Fprintln(os.Stderr, value)
	case "bytes":
		return numbered(value)
	case "line":
		return oneLine(value)
	case "invalid":
		_, err := os.Stdout.Write([]byte("a\xff\xfe\xc3\x28\x00b\n"))
		return err
	case "env":
		value, is := os.LookupEnv(value)
		fmt.Printf("%q %t\n", value, is)
	case "stdin":
		n, err := io.Copy(io.Discard, os.Stdin)
		fmt.Printf("stdin %d %v\n", n, err)
	case "write":
		return write(value, os.O_TRUNC)
	case "append":
		return write(value, os.O_APPEND)
	case "link":
		path, target, _ := strings.Cut(value, ":")
		return os.Symlink(target, os.ExpandEnv(path))
	case "remove":
		return os.RemoveAll(os.ExpandEnv(value))
	default:
		return process(verb, value)
	}
	return nil
}

// numbered writes exactly so many bytes of lines that each bear their number.
func numbered(value string) error {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(os.Stdout, 64<<10)
	for line := int64(1); n > 0; line++ {
		text := fmt.Sprintf("line %d\n", line)
		text = text[:min(n, int64(len(text)))]
		if _, err := out.WriteString(text); err != nil {
			return err
		}
		n -= int64(len(text))
	}
	return out.Flush()
}

func oneLine(value string) error {
	n, err := strconv.Atoi(value)
	if err != nil {
		return err
	}
	_, err = io.WriteString(os.Stdout, strings.Repeat("x", n)+"\n")
	return err
}

// write puts a line into a file; its folders are made. The value is PATH:TEXT, and $NAME in PATH is filled in.
func write(value string, mode int) error {
	path, text, _ := strings.Cut(value, ":")
	path = os.ExpandEnv(path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|mode, 0o644)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, text)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}
