// Package nap puts the calling thread to sleep for microseconds.
//
// time.Sleep rounds waits below a millisecond up to one when the process is otherwise idle, so a delay of 50 µs between
// a cut and a send would be 1 ms. Here the operating system's own sleep is called. It blocks a thread and not only a
// goroutine, as a parked Java thread does. It gives nothing back and is not interrupted.
package nap

import "time"

// For sleeps at least d; the kernel's timer slack comes on top (about 50 µs on Linux). Zero or less returns at once.
func For(d time.Duration) {
	end := time.Now().Add(d)
	for d > 0 {
		sleep(d) // a signal may end it early
		d = time.Until(end)
	}
}
