// Package wire sends one HTTP request over a real socket and says how much of it the socket accepted.
//
// It takes a Request and gives an Answer, or a *Failure that says whether write(2) took any byte of the request. That
// count is the only thing that separates "sent, fate unknown" from "never left": error texts and trace hooks do not,
// because the same text appears on both sides. It never retries and never decides what a failure means for a test.
//
// Two senders: H2, which pools connections and has a reader that may notice a closed peer before the next write, and
// H1, which keeps one connection for each address and reads only after it has written, so it never notices.
package wire

import (
	"context"
	"fmt"
)

// Sender sends requests one at a time. Close ends its connections; the Sender is not used after that.
type Sender interface {
	Send(ctx context.Context, r Request) (Answer, error)
	Close()
}

// Request is one HTTP request. Its body is small: it fits into the socket's buffer.
type Request struct {
	Addr   string // host:port
	Method string // empty means POST
	Path   string // starts with a slash
	From   string // who sends: the value of the header From-Role; empty means client
	Body   []byte
}

// RoleHeader carries Request.From.
const RoleHeader = "From-Role"

// Answer is what came back, and how far the request went.
type Answer struct {
	Status   int    // HTTP status
	Body     []byte // at most MaxAnswer bytes
	Accepted int64  // bytes of the request that write(2) accepted
	Headers  bool   // the naive sign of a sent request: the client library says that it wrote the headers
}

// MaxAnswer bounds how much of an answer is read, in bytes.
const MaxAnswer = 8 << 20

// Fault says how a send failed.
type Fault uint8

// The faults, each with the Java failure that it stands for in the client this models.
const (
	Refused  Fault = 1 << iota // no connection: ConnectException
	Unsent                     // a connection, but it accepted no byte: RequestNotSentException
	Closed                     // bytes accepted, then the connection ended: ClosedChannelException, or Jetty's broken pipe
	Silent                     // bytes accepted, then the end of the stream without an answer: NoHttpResponseException
	Socket                     // bytes accepted, then an error of a blocking socket: SocketException
	TimedOut                   // bytes accepted, no answer in time: SocketTimeoutException
	Status                     // answered with an error status: SolrException
)

// Anything is every fault in which no answer came.
const Anything = Refused | Unsent | Closed | Silent | Socket | TimedOut

// String names the fault.
func (f Fault) String() string {
	switch f {
	case Refused:
		return "refused"
	case Unsent:
		return "unsent"
	case Closed:
		return "closed"
	case Silent:
		return "silent"
	case Socket:
		return "socket"
	case TimedOut:
		return "timed-out"
	case Status:
		return "status"
	}
	return fmt.Sprintf("faults(%#x)", uint8(f))
}

// Failure is a send that did not succeed.
type Failure struct {
	Addr     string
	Fault    Fault
	Code     int   // HTTP status when Fault is Status
	Accepted int64 // bytes of the request that write(2) accepted
	Headers  bool  // the client library says that it wrote the headers, which it may say falsely
	Err      error // the cause, as the socket or library gave it
}

// Committed reports whether the request may have reached the other side: some byte of it was accepted.
func (f *Failure) Committed() bool { return f.Accepted > 0 }

// Error says where and what.
func (f *Failure) Error() string {
	if f.Fault == Status {
		return fmt.Sprintf("%s answered %d: %v", f.Addr, f.Code, f.Err)
	}
	return fmt.Sprintf("%s: %s after %d bytes: %v", f.Addr, f.Fault, f.Accepted, f.Err)
}

// Unwrap gives the cause.
func (f *Failure) Unwrap() error { return f.Err }
