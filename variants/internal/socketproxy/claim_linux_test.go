package socketproxy

import (
	"errors"
	"net"
	"syscall"
	"testing"
)

func TestNobodyCanTakeThePortWhileCut(t *testing.T) {
	t.Parallel()
	p := open(t, newTarget(t))
	if _, err := p.Cut(FIN); err != nil {
		t.Fatal(err)
	}
	if l, err := net.Listen("tcp4", p.Addr()); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("another listener: %v, %v; want address in use", l, err)
	}
	var second claim
	if err := second.take(p.port.number); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("another claim: %v; want address in use", err)
	}
	if err := p.Reopen(); err != nil {
		t.Errorf("the owner cannot reopen: %v", err)
	}
}
