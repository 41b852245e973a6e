package stress

import (
	"syscall"
	"time"
	"unsafe"
)

// threadCPU is the CPU time of the calling thread. The standard library alone has no clock_gettime, and this file uses
// nothing else, so that a program for containers can be compiled from this package without any module at hand.
func threadCPU() time.Duration {
	const clockThreadCPUTime = 3 // CLOCK_THREAD_CPUTIME_ID in linux/time.h
	var now syscall.Timespec
	_, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockThreadCPUTime, uintptr(unsafe.Pointer(&now)), 0)
	if errno != 0 {
		return 0 // the clock is in every Linux since 2.6.12; without it a duty is held as 100 % of each period
	}
	return time.Duration(now.Nano())
}

// threadSleep sleeps without the Go scheduler, which would wake other threads for each sleep and its end: about 2 % of
// a core for one worker. The runtime takes the thread for a busy one, and its signals end a sleep early.
func threadSleep(d time.Duration) {
	left := syscall.NsecToTimespec(int64(d))
	for {
		_, _, errno := syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&left)), uintptr(unsafe.Pointer(&left)), 0)
		if errno != syscall.EINTR {
			return
		}
	}
}
