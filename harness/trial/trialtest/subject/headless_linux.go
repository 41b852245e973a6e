package main

import (
	"os"
	"syscall"
	"time"
)

// headless ends the program's first thread alone: Linux lists the process as ended from then on, but it lives.
func headless() error {
	go time.Sleep(10 * time.Minute)
	if syscall.Gettid() != os.Getpid() {
		return syscall.EINVAL
	}
	if err := os.NewFile(3, "ready").Close(); err != nil {
		return err
	}
	_, _, err := syscall.RawSyscall(syscall.SYS_EXIT, 0, 0, 0)
	return err
}
