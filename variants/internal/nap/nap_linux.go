package nap

import (
	"syscall"
	"time"
)

// sleep is one nanosleep(2); an early end shows on the caller's clock.
func sleep(d time.Duration) {
	t := syscall.NsecToTimespec(d.Nanoseconds())
	_ = syscall.Nanosleep(&t, nil)
}
