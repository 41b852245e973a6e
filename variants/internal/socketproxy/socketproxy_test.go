package socketproxy

import (
	"errors"
	"io"
	"net"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"
)

// target is a server that keeps what each connection sends, and echoes it.
type target struct {
	net.Listener
	got chan string // what one connection sent, at its end
}

func newTarget(t *testing.T) *target {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &target{Listener: l, got: make(chan string, 16)}
	var work sync.WaitGroup
	work.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			work.Go(func() {
				defer c.Close()
				var all []byte
				buf := make([]byte, 4096)
				for {
					n, err := c.Read(buf)
					all = append(all, buf[:n]...)
					if err != nil {
						s.got <- string(all)
						return
					}
					c.Write(buf[:n])
				}
			})
		}
	})
	t.Cleanup(func() { l.Close(); work.Wait() })
	return s
}

func open(t *testing.T, s *target) *Proxy {
	t.Helper()
	p, err := Open(s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func dial(t *testing.T, p *Proxy) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp", p.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(time.Minute))
	return c.(*net.TCPConn)
}

// echo sends a text and wants it back.
func echo(t *testing.T, c net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	back := make([]byte, len(text))
	if _, err := io.ReadFull(c, back); err != nil || string(back) != text {
		t.Fatalf("got %q, %v; want %q", back, err, text)
	}
}

// eventually waits for a condition that another goroutine brings about.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

func TestProxyPassesBytesBothWays(t *testing.T) {
	t.Parallel()
	p := open(t, newTarget(t))
	c := dial(t, p)
	echo(t, c, "hello")
	echo(t, c, string(make([]byte, 10*bufferSize)))
	if want := int64(5 + 10*bufferSize); p.Received() != want {
		t.Errorf("received %d bytes, want %d", p.Received(), want)
	}
}

func TestFINLetsTheNextWriteThrough(t *testing.T) {
	t.Parallel()
	p := open(t, newTarget(t))
	c := dial(t, p)
	echo(t, c, "warm")
	if n, err := p.Cut(FIN); n != 1 || err != nil {
		t.Fatalf("cut %d connections, %v; want 1", n, err)
	}
	if n, err := io.WriteString(c, "the one free write"); n == 0 || err != nil {
		t.Errorf("the write after a FIN was refused: %d bytes, %v", n, err)
	}
}

func TestFINEndsAReadInOrder(t *testing.T) {
	t.Parallel()
	p := open(t, newTarget(t))
	c := dial(t, p)
	echo(t, c, "warm")
	p.Cut(FIN)
	if n, err := c.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("read gave %d bytes and %v, want the end of the stream", n, err)
	}
}

func TestResetRefusesTheNextWrite(t *testing.T) {
	t.Parallel()
	p := open(t, newTarget(t))
	c := dial(t, p)
	echo(t, c, "warm")
	if n, err := p.Cut(Reset); n != 1 || err != nil {
		t.Fatalf("cut %d connections, %v; want 1", n, err)
	}
	if n, err := io.WriteString(c, "not one byte"); n != 0 || err == nil {
		t.Errorf("the write after a reset was accepted: %d bytes, %v", n, err)
	}
}

func TestCutRefusesConnectionsUntilReopened(t *testing.T) {
	t.Parallel()
	p := open(t, newTarget(t))
	addr := p.Addr()
	for range 3 {
		echo(t, dial(t, p), "open")
		p.Cut(FIN)
		if c, err := net.Dial("tcp", addr); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Fatalf("dial while cut: %v, %v; want refused", c, err)
		}
		if n, err := p.Cut(FIN); n != 0 || err != nil {
			t.Errorf("second cut: %d, %v; want nothing to do", n, err)
		}
		if err := p.Reopen(); err != nil {
			t.Fatal(err)
		}
		if err := p.Reopen(); err != nil || p.Addr() != addr {
			t.Fatalf("reopen twice: %v at %s, want %s", err, p.Addr(), addr)
		}
	}
	echo(t, dial(t, p), "open again")
}

func TestPauseHoldsBackAndCutDrops(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]func(*Proxy, How) (int, error){"cut": (*Proxy).Cut, "busy": (*Proxy).CutBusy} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pauseAndCut(t, cut)
		})
	}
}

func pauseAndCut(t *testing.T, cut func(*Proxy, How) (int, error)) {
	t.Helper()
	s := newTarget(t)
	p := open(t, s)
	c := dial(t, p)
	echo(t, c, "before")
	p.Pause()
	big := make([]byte, 4*bufferSize)
	if n, err := c.Write(big); n != len(big) || err != nil {
		t.Fatalf("the kernel accepted %d of %d bytes, %v", n, len(big), err)
	}
	eventually(t, "the pump reads its first part", func() bool { return p.Received() > 6 })
	if n, err := cut(p, FIN); n != 1 || err != nil {
		t.Fatalf("cut %d connections, %v; want 1", n, err)
	}
	if got := <-s.got; got != "before" {
		t.Errorf("%d bytes reached the target during the pause", len(got)-len("before"))
	}
	if got := p.Received(); got > 6+bufferSize {
		t.Errorf("the paused proxy read %d bytes, more than one buffer", got-6)
	}
	if err := p.Reopen(); err != nil {
		t.Fatal(err)
	}
	echo(t, dial(t, p), "the pause is over")
}

func TestResumeGoesOn(t *testing.T) {
	t.Parallel()
	p := open(t, newTarget(t))
	c := dial(t, p)
	p.Pause()
	p.Pause()
	io.WriteString(c, "held")
	eventually(t, "the pump reads", func() bool { return p.Received() == 4 })
	p.Resume()
	p.Resume()
	back := make([]byte, 4)
	if _, err := io.ReadFull(c, back); err != nil || string(back) != "held" {
		t.Errorf("got %q, %v", back, err)
	}
}

func TestAConnectionThatEndedIsNotCut(t *testing.T) {
	t.Parallel()
	s := newTarget(t)
	p := open(t, s)
	c := dial(t, p)
	echo(t, c, "bye")
	c.Close()
	if got := <-s.got; got != "bye" {
		t.Errorf("the target got %q", got)
	}
	eventually(t, "the proxy forgets the connection", func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(p.bridges) == 0
	})
	if n, err := p.Cut(FIN); n != 0 || err != nil {
		t.Errorf("cut %d connections, %v; want 0", n, err)
	}
}

func TestATargetThatIsGoneEndsTheConnection(t *testing.T) {
	t.Parallel()
	s := newTarget(t)
	p := open(t, s)
	s.Close()
	c := dial(t, p)
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("the connection lives on without a target")
	}
}

func TestProxiesNeverShareAPort(t *testing.T) {
	t.Parallel()
	s := newTarget(t)
	var mu sync.Mutex
	taken := map[int]bool{}
	var work sync.WaitGroup
	for range 8 {
		work.Go(func() {
			for range 8 {
				p, err := Open(s.Addr().String())
				if err != nil {
					t.Error(err)
					return
				}
				t.Cleanup(func() { p.Close() })
				p.Cut(FIN) // the port must be held while nobody listens
				_, text, _ := net.SplitHostPort(p.Addr())
				n, _ := strconv.Atoi(text)
				mu.Lock()
				if taken[n] && runtime.GOOS == "linux" {
					t.Errorf("port %d was given twice", n)
				}
				if n < firstPort || n > lastPort {
					t.Errorf("port %d is out of range", n)
				}
				taken[n] = true
				mu.Unlock()
			}
		})
	}
	work.Wait()
}

func TestAClientThatConnectsAgainAndAgainIsCutOnce(t *testing.T) {
	t.Parallel()
	p := open(t, newTarget(t))
	c := dial(t, p)
	echo(t, c, "warm")
	again := make(chan error)
	go func() {
		c.Read(make([]byte, 1)) // until the cut
		_, err := net.Dial("tcp", p.Addr())
		again <- err
	}()
	if n, err := p.CutBusy(FIN); n != 1 || err != nil {
		t.Fatalf("cut %d connections, %v; want 1", n, err)
	}
	if err := <-again; !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("connected again while being cut: %v", err)
	}
	if n, err := p.CutBusy(FIN); n != 0 || err != nil {
		t.Errorf("second cut: %d, %v; want nothing to do", n, err)
	}
}
