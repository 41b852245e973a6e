// Command subject is what the campaigns of the fault suite run. Its first argument names what it does.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// modes are the subject's behaviours by name; each takes the arguments after it and gives the exit status.
var modes = map[string]func(args []string) int{
	"steady":   steady,
	"prepare":  prepare,
	"stubborn": stubborn,
	"runes":    runes,
	"hog":      hog,
	"bomb":     bomb,
	"daemon":   daemon,
	"holder":   holder,
	"flood":    flood,
	"babble":   babble,
	"forge":    forge,
	"vandal":   vandal,
	"nothing":  nothing,
	"terminal": terminal,
}

func main() {
	if len(os.Args) < 2 || modes[os.Args[1]] == nil {
		fmt.Fprintf(os.Stderr, "subject: the first argument must be one of the modes, not %q\n", slices.Concat(os.Args[1:]))
		os.Exit(99)
	}
	os.Exit(modes[os.Args[1]](os.Args[2:]))
}

// steady fails exactly so many of every 20 trials, by the trial's number alone, after 5 to 20 ms. Each execution adds a
// line to the file that FAULTS_LOG names: what ran is then known from somewhere else than the journal.
func steady(args []string) int {
	trial := os.Getenv("FAILRATE_TRIAL")
	_, digits, _ := strings.Cut(trial, "#")
	n, err := strconv.Atoi(digits)
	if err != nil || len(args) < 1 {
		fmt.Fprintf(os.Stderr, "subject: trial %q, arguments %q\n", trial, args)
		return 99
	}
	of20, err := strconv.Atoi(args[0])
	if err != nil {
		fmt.Fprintln(os.Stderr, "subject:", err)
		return 99
	}
	if err := log(trial); err != nil {
		fmt.Fprintln(os.Stderr, "subject:", err)
		return 99
	}
	time.Sleep(time.Duration(5+n*5%16) * time.Millisecond)
	if n*7%20 < of20 {
		fmt.Printf("trial %d: connection reset by peer\n", n)
		return 1
	}
	fmt.Printf("trial %d: ok\n", n)
	return 0
}

// log adds one line to the log by one write, which no other execution's can tear.
func log(line string) error {
	path := os.Getenv("FAULTS_LOG")
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := f.WriteString(line + "\n"); err != nil {
		return err
	}
	return f.Close()
}

// prepare is a set-up command: it takes as long as it is told to, and leaves a file.
func prepare(args []string) int {
	d, err := time.ParseDuration(strings.Join(args, ""))
	if err != nil {
		fmt.Fprintln(os.Stderr, "subject:", err)
		return 99
	}
	time.Sleep(d)
	if err := os.WriteFile("prepared", []byte("yes\n"), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, "subject:", err)
		return 99
	}
	return 0
}

// stubborn ends for nothing but KILL, or after a minute.
func stubborn([]string) int {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	time.Sleep(time.Minute)
	return 0
}
