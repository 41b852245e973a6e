package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// Meter dials connections and counts, per address, the bytes that write(2) accepted on them. The zero value is ready.
// It is safe for use by several goroutines.
type Meter struct {
	mu      sync.Mutex
	counts  map[string]*Reading
	waiters chan struct{} // closed at the next accepted byte; nil when nobody waits
}

// Reading is what a Meter knows of one address. Accepted counts from the start, the times from the last Mark.
type Reading struct {
	Accepted int64
	Wrote    time.Time // the first write that was accepted; zero when there was none
	Noticed  time.Time // the first read that found the connection ended by the peer; zero when there was none
}

// Dial connects to a TCP address. It has the shape of net.Dialer.DialContext.
func (m *Meter) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return &meteredConn{Conn: c, meter: m, addr: addr}, nil
}

// Mark forgets the times of an address, so that the next Reading's times come after it.
func (m *Meter) Mark(addr string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.at(addr)
	r.Wrote, r.Noticed = time.Time{}, time.Time{}
}

// Reading gives what is known of an address.
func (m *Meter) Reading(addr string) Reading {
	m.mu.Lock()
	defer m.mu.Unlock()
	return *m.at(addr)
}

// Await returns when at least n bytes in all were accepted for the address, or with an error when ctx ends first.
func (m *Meter) Await(ctx context.Context, addr string, n int64) error {
	for {
		m.mu.Lock()
		got := m.at(addr).Accepted
		if got >= n {
			m.mu.Unlock()
			return nil
		}
		if m.waiters == nil {
			m.waiters = make(chan struct{})
		}
		changed := m.waiters
		m.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("the socket to %s accepted %d bytes, waited for %d: %w", addr, got, n, ctx.Err())
		}
	}
}

// at returns the address's reading; m.mu is held.
func (m *Meter) at(addr string) *Reading {
	r := m.counts[addr]
	if r == nil {
		if m.counts == nil {
			m.counts = map[string]*Reading{}
		}
		r = &Reading{}
		m.counts[addr] = r
	}
	return r
}

func (m *Meter) wrote(addr string, n int) {
	if n <= 0 {
		return
	}
	now := time.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.at(addr)
	r.Accepted += int64(n)
	if r.Wrote.IsZero() {
		r.Wrote = now
	}
	if m.waiters != nil {
		close(m.waiters)
		m.waiters = nil
	}
}

func (m *Meter) noticed(addr string) {
	now := time.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.at(addr); r.Noticed.IsZero() {
		r.Noticed = now
	}
}

// meteredConn reports to its Meter. It hides the TCP connection's ReadFrom, so every byte passes Write.
type meteredConn struct {
	net.Conn
	meter *Meter
	addr  string
}

// Write counts what the socket accepted, also when it accepted only a part.
func (c *meteredConn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.meter.wrote(c.addr, n)
	return n, err
}

// Read notes when the peer's close or reset was found; our own close and a deadline are not that.
func (c *meteredConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if err != nil && !errors.Is(err, net.ErrClosed) {
		if t, ok := errors.AsType[net.Error](err); !ok || !t.Timeout() {
			c.meter.noticed(c.addr)
		}
	}
	return n, err
}
