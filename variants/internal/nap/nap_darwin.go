package nap

import (
	"syscall"
	"time"
)

// sleep is one select(2) on no descriptors, the sleep in microseconds that package syscall offers here.
func sleep(d time.Duration) {
	t := syscall.NsecToTimeval(max(d.Nanoseconds(), 1000))
	_ = syscall.Select(0, nil, nil, nil, &t)
}
