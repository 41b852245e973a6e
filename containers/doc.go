// Package containers is the executor that runs each attempt of a trial in a Linux container of a Docker Engine.
//
// It stands beside the native executor of package trial in the pipeline study → plan → trial → classify → journal →
// report. Prepare takes a variant's image, tree and set-up and gives one Image; an Executor takes Requests and gives
// Observations; Sweep removes what a killed harness left. It never judges an attempt, never runs a container as
// privileged, never publishes a port, and never changes an image or container that it did not make.
//
// # How an attempt runs
//
// Every container's process 1 is the agent of package agent, a static program that Prepare bakes into the image. It
// starts the subject in a session of its own, ends the whole tree, and measures inside: the engine's own time stamps
// are some milliseconds off, and its counters are gone when a container has ended. Orders go to it and output, files
// and facts come from it over the one connection that is attached to the container. When that connection ends,
// however the harness died, the agent and its container end.
//
// With isolation fresh every attempt has a container of its own, made for it and removed after it. With warm each
// worker has one container per variant, in which attempts follow each other, each with its own processes and scratch
// folder; the tree is shared.
//
// # Network
//
// Without network a container has its loopback interface and nothing else. Half the time it takes an engine to start
// such a container goes into the network namespace, so a fresh container joins one that is held ready, as long as
// that makes no difference: the agent reports the packets that went through the namespace, one that has seen any is
// never used again, and once a trial of an executor has sent a packet every later one gets a namespace of its own. So
// no two trials share a namespace that either of them sends through: no port in TIME_WAIT and no cached route of one
// trial meets another, and trials that use no sockets start faster.
//
// # Faults
//
// Every call to the engine has a deadline. Whatever the engine does wrong (no answer, an error, a container or image
// that somebody removed) is a Fault of the attempt and never its exit status.
package containers
