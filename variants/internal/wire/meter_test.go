package wire

import (
	"context"
	"errors"
	"net"
	"testing"
)

// link gives both ends of a connection that m dialled.
func link(t *testing.T, m *Meter) (mine, theirs net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if mine, err = m.Dial(minute(t), "tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if theirs, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { mine.Close(); theirs.Close() })
	return mine, theirs
}

func TestMeterCountsAndMarks(t *testing.T) {
	t.Parallel()
	m := &Meter{}
	mine, theirs := link(t, m)
	addr := theirs.LocalAddr().String()
	for range 2 {
		if _, err := mine.Write([]byte("12345")); err != nil {
			t.Fatal(err)
		}
	}
	first := m.Reading(addr)
	if first.Accepted != 10 || first.Wrote.IsZero() || !first.Noticed.IsZero() {
		t.Errorf("after two writes: %+v", first)
	}
	m.Mark(addr)
	if got := m.Reading(addr); got.Accepted != 10 || !got.Wrote.IsZero() {
		t.Errorf("after a mark: %+v", got)
	}
	theirs.Close()
	if _, err := mine.Read(make([]byte, 1)); err == nil {
		t.Fatal("read from a closed peer")
	}
	if got := m.Reading(addr); got.Noticed.IsZero() {
		t.Error("the peer's end was not noticed")
	}
	if got := m.Reading("127.0.0.1:2"); got != (Reading{}) {
		t.Errorf("an address that was never dialled: %+v", got)
	}
}

func TestMeterDoesNotNoticeItsOwnClose(t *testing.T) {
	t.Parallel()
	m := &Meter{}
	mine, theirs := link(t, m)
	mine.Close()
	if _, err := mine.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
		t.Fatalf("read: %v", err)
	}
	if got := m.Reading(theirs.LocalAddr().String()); !got.Noticed.IsZero() {
		t.Error("our own close counts as the peer's")
	}
	if n, err := mine.Write([]byte("x")); n != 0 || err == nil || m.Reading(theirs.LocalAddr().String()).Accepted != 0 {
		t.Errorf("a failed write counts: %d, %v", n, err)
	}
}

func TestAwaitReturnsWhenEnoughIsAccepted(t *testing.T) {
	t.Parallel()
	m := &Meter{}
	mine, theirs := link(t, m)
	addr := theirs.LocalAddr().String()
	done := make(chan error)
	go func() { done <- m.Await(minute(t), addr, 3) }()
	for range 3 {
		mine.Write([]byte("x"))
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := m.Await(ctx, addr, 4); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want cancelled", err)
	}
	if err := m.Await(ctx, addr, 3); err != nil {
		t.Errorf("what is there already: %v", err)
	}
}
