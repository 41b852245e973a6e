package socketproxy

import (
	"fmt"
	"os"
	"syscall"
)

// soReusePort is SO_REUSEPORT, which package syscall lacks on some architectures.
const soReusePort = 0xf

// claim is a socket that is bound to the port and never listens: connections are still refused while the proxy is cut,
// but no other process can take the port, and the kernel does not give it to an outgoing connection.
type claim struct {
	fd   int
	held bool
}

// take binds without any sharing, so that it fails when anybody has the port, and only then lets the listener, which
// has the same owner, share it.
func (c *claim) take(number int) error {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Port: number, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		syscall.Close(fd)
		return fmt.Errorf("port %d: %w", number, os.NewSyscallError("bind", err))
	}
	if err := syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, soReusePort, 1); err != nil {
		syscall.Close(fd)
		return os.NewSyscallError("setsockopt", err)
	}
	c.fd, c.held = fd, true
	return nil
}

func (c *claim) drop() {
	if c.held {
		syscall.Close(c.fd)
		c.held = false
	}
}

// shareWithClaim lets a listener bind beside the claim.
func shareWithClaim(_, _ string, raw syscall.RawConn) error {
	var err error
	if e := raw.Control(func(fd uintptr) { err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, soReusePort, 1) }); e != nil {
		return e
	}
	return err
}
