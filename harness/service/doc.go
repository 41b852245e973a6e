// Package service runs the services that trials need beside their subjects.
//
// It stands around the executors of the pipeline study → plan → trial → classify → journal → report: an Executor of this
// package takes a Request with services, starts them, waits until they are ready, hands the request on to the executor
// inside with the services' addresses filled in, and ends them. It keeps their output where the request says and turns a
// service that is not ready, or that ends before the subject does, into a fact of the Observation. It judges nothing.
//
// How services run is a Host's business: Native is the one of this machine; package containers has the other one.
//
// # What the subject is told
//
// Each port of a service has a variable, FAILRATE_SERVICE_NAME, with host:port. FAILRATE_CONTROL is a URL below which a
// POST of /ACTION/SERVICE with nothing in it acts on a service: cut, heal, pause, resume, kill, stop, start. The answer
// comes when it is done, for start when the service is ready again: 204, or a status above 399 and one line that says why.
//
// # What a service is told
//
// Where it listens: {host}, {port} and {port.N} in its command and environment, and FAILRATE_HOST, FAILRATE_PORT and
// FAILRATE_PORT_N. Where the others are: as the subject.
//
// # Lives
//
// A service lives for a trial, or for a block: then trials of one block that need exactly the same services share them,
// until one of them acts on a service or a service fails; the next trial gets new ones, so none meets what another did.
package service
