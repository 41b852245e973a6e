package service

import (
	"bufio"
	"errors"
	"io"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/failrate/failrate/harness/study"
)

// echo is a server that says every line again, and its forwarder.
func echo(t *testing.T, mode study.CutMode) *forwarder {
	t.Helper()
	l, err := net.Listen("tcp", loopback+":0")
	if err != nil {
		t.Fatal(err)
	}
	f, err := newForwarder(l.Addr().String(), mode)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_, _ = io.Copy(c, c)
			}()
		}
	}()
	t.Cleanup(func() {
		if err := errors.Join(f.close(), l.Close()); err != nil {
			t.Error(err)
		}
	})
	return f
}

type client struct {
	net.Conn
	*bufio.Reader
}

func dial(t *testing.T, f *forwarder) client {
	t.Helper()
	c, err := net.Dial("tcp", f.address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return client{c, bufio.NewReader(c)}
}

func (c client) say(line string) error {
	_, err := io.WriteString(c.Conn, line+"\n")
	return err
}

// hears reads a line within a time.
func (c client) hears(within time.Duration) (string, error) {
	if err := c.Conn.SetReadDeadline(time.Now().Add(within)); err != nil {
		return "", err
	}
	return c.ReadString('\n')
}

func TestCutByDrop(t *testing.T) {
	t.Parallel()
	f := echo(t, study.CutDrop)
	c := dial(t, f)
	if err := c.say("one"); err != nil {
		t.Fatal(err)
	}
	if got, err := c.hears(time.Minute); got != "one\n" {
		t.Fatalf("%q, %v", got, err)
	}
	f.cut()
	during := dial(t, f) // the operating system makes the connection
	for _, c := range []client{c, during} {
		if err := c.say("two"); err != nil {
			t.Error(err)
		}
		if got, err := c.hears(100 * time.Millisecond); got != "" || !isTimeout(err) {
			t.Errorf("while it was cut: %q, %v", got, err)
		}
	}
	f.heal()
	for _, c := range []client{c, during} {
		if got, err := c.hears(time.Minute); got != "two\n" {
			t.Errorf("after it was healed: %q, %v", got, err)
		}
	}
}

func TestCutByReset(t *testing.T) {
	t.Parallel()
	f := echo(t, study.CutReset)
	c := dial(t, f)
	if err := c.say("one"); err != nil {
		t.Fatal(err)
	}
	if got, err := c.hears(time.Minute); got != "one\n" {
		t.Fatalf("%q, %v", got, err)
	}
	f.cut()
	if got, err := c.hears(time.Minute); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("%q, %v", got, err)
	}
	mustReset(t, f)
	f.heal()
	c = dial(t, f)
	if err := c.say("two"); err != nil {
		t.Fatal(err)
	}
	if got, err := c.hears(time.Minute); got != "two\n" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestEndsPassThrough closes one direction and then has nobody listen.
func TestEndsPassThrough(t *testing.T) {
	t.Parallel()
	f := echo(t, study.CutDrop)
	c := dial(t, f)
	if err := c.say("one"); err != nil {
		t.Fatal(err)
	}
	if err := c.Conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(c.Reader); string(got) != "one\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	nobody, err := newForwarder(loopback+":1", study.CutDrop)
	if err != nil {
		t.Fatal(err)
	}
	defer nobody.close()
	mustReset(t, nobody)
}

// mustReset requires that a new connection is reset, which may be seen while it is made or after.
func mustReset(t *testing.T, f *forwarder) {
	t.Helper()
	c, err := net.Dial("tcp", f.address())
	if err == nil {
		defer c.Close()
		_, err = client{c, bufio.NewReader(c)}.hears(time.Minute)
	}
	if !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("a new connection: %v, want a reset", err)
	}
}

func isTimeout(err error) bool {
	var e net.Error
	return errors.As(err, &e) && e.Timeout()
}
