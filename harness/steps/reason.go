package steps

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// phase is how far a request got.
type phase string

const (
	connecting phase = "no connection"
	awaiting   phase = "no answer"
	reading    phase = "the answer's body is incomplete"
)

// reason says why there is no answer. The text begins with the kind of the failure, which is the same on every platform,
// so that the rules of a study can tell kinds apart. Local means that this machine is at fault and nothing was measured.
func reason(err error, at phase, limit time.Duration) (text string, local bool) {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err // what is around it is the request, which is in the log
	}
	kind, local := kindOf(err)
	switch {
	case kind == kindTimeout:
		return fmt.Sprintf("timeout: %s within %s", at, limit), false
	case at == connecting:
		return fmt.Sprintf("%s: %v", kind, err), local
	}
	return fmt.Sprintf("%s: %s: %v", kind, at, err), local
}

const kindTimeout = "timeout"

func kindOf(err error) (kind string, local bool) {
	var name *net.DNSError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return kindTimeout, false
	case errors.As(err, &name):
		if name.IsTimeout {
			return kindTimeout, false
		}
		return "host not found", false
	case noAuthorities(err):
		return "no CA certificates on this machine", true
	}
	for _, k := range errnoKinds {
		if errors.Is(err, k.errno) {
			return k.kind, k.local
		}
	}
	switch text := err.Error(); {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), strings.Contains(text, "server closed"):
		return "connection closed", false
	case strings.HasPrefix(text, "tls: "), strings.Contains(text, "x509: "), strings.Contains(text, "to HTTPS client"):
		return "TLS failed", false
	}
	return "not HTTP", false
}

// errnoKinds are the kernel's reasons. Those that say that this machine has run out of something are its own.
var errnoKinds = []struct {
	errno syscall.Errno
	kind  string
	local bool
}{
	{syscall.ECONNREFUSED, "connection refused", false},
	{syscall.ECONNRESET, "connection reset", false},
	{syscall.EPIPE, "connection reset", false},
	{syscall.ECONNABORTED, "connection reset", false},
	{syscall.ETIMEDOUT, "connection timed out", false},
	{syscall.EHOSTUNREACH, "host unreachable", false},
	{syscall.ENETUNREACH, "network unreachable", false},
	{syscall.EMFILE, "out of file descriptors", true},
	{syscall.ENFILE, "out of file descriptors", true},
	{syscall.EADDRNOTAVAIL, "out of local ports", true},
	{syscall.ENOBUFS, "out of memory", true},
	{syscall.ENOMEM, "out of memory", true},
}

// noAuthorities reports whether a certificate was refused for want of any to compare it with: an image that holds nothing
// else has none.
func noAuthorities(err error) bool {
	var unknown x509.UnknownAuthorityError
	var system x509.SystemRootsError
	if errors.As(err, &system) {
		return true
	}
	if !errors.As(err, &unknown) {
		return false
	}
	pool, err := x509.SystemCertPool()
	return err != nil || pool.Equal(x509.NewCertPool())
}
