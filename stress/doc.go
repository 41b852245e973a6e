// Package stress holds a CPU load while something else runs, and says how much of it was achieved.
//
// It takes a Level and holds it until the context ends or Stop is called; it gives an Achieved: CPU time of its
// workers, busy share of the machine, time that tasks waited for a CPU, throttling of a cgroup. It works on Linux and
// macOS, knows nothing of trials or studies, and never changes limits, priorities or anything that it did not start:
// a Quota is only carried, for whoever makes the container. It stands beside the pipeline study → plan → trial →
// classify → journal → report; the campaign holds a level around an attempt.
//
// # Workers
//
// The busy workers of a level are threads of one process of their own, because a process is what the kernel bills and
// ends. It is this same program, started again: its main calls
//
//	if stress.IsWorker() {
//		os.Exit(stress.RunWorker())
//	}
//
// before anything else. Inside a container any program that embeds this package holds a level with Worker. The process
// ends when its standard input ends, so it does not outlive its parent, however that dies; on Linux the kernel's
// parent-death signal ends it too. It has its own process group, so that a terminal's interrupt does not end the load
// before the trial, but stays in the session: Linux gives each session an equal share of the CPUs (autogroup), and load
// in another session than the subject would take less from it than was asked.
//
// # Bursts
//
// Under a level with Burst the workers sleep until the subject announces its moment through the file that the
// environment variable FAILRATE_BURST names:
//
//   - Touch the file (create it, write to it, or set its time): the burst begins. The workers are busy about a
//     millisecond later on an idle machine; a subject that needs all of them waits three milliseconds.
//   - Remove the file: the burst ends.
//   - A burst also ends when Options.Window has passed since the last touch, so a subject need not remove anything.
//
// A touch after that begins a further burst; there is no limit to their number. Without FAILRATE_BURST in its
// environment the subject runs without bursts. On systems without inotify the file is looked at every millisecond, and
// one that was removed sooner is not seen.
package stress
