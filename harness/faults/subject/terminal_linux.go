package main

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// terminal turns off echo and lines on every terminal that it can reach, and ends badly.
func terminal([]string) int {
	files := []*os.File{os.Stdin, os.Stdout, os.Stderr}
	if tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0); err == nil {
		files = append(files, tty)
	}
	for _, f := range files {
		state, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
		if err != nil {
			continue
		}
		state.Lflag &^= unix.ECHO | unix.ICANON | unix.ISIG
		if unix.IoctlSetTermios(int(f.Fd()), unix.TCSETS, state) == nil {
			fmt.Println("changed", f.Name())
		}
	}
	return 1
}
