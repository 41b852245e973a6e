package socketproxy

import (
	"net"
	"sync"
	"sync/atomic"
)

// bufferSize is how much a pump reads at once, and so how much a paused proxy takes from a client, in bytes.
const bufferSize = 1024

// bridge joins one client's connection with one to the target.
type bridge struct {
	proxy *Proxy
	near  *net.TCPConn  // to the client
	ended chan struct{} // closed when the bridge is over

	mu   sync.Mutex
	far  net.Conn // to the target; nil before it is connected
	over bool
}

// run connects to the target and pumps both ways until either side ends.
func (b *bridge) run() {
	defer b.proxy.forget(b)
	defer b.end()
	far, err := net.Dial("tcp", b.proxy.target)
	if err != nil || !b.join(far) {
		return
	}
	var answers sync.WaitGroup
	answers.Go(func() { b.pump(far, b.near, nil) })
	b.pump(b.near, far, &b.proxy.received)
	answers.Wait()
}

// join takes over the connection to the target, unless the bridge is over by now.
func (b *bridge) join(far net.Conn) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over {
		far.Close()
		return false
	}
	b.far = far
	return true
}

// pump passes bytes on until the source ends, then ends the bridge. While the proxy is paused it holds what it read.
func (b *bridge) pump(from, to net.Conn, count *atomic.Int64) {
	defer b.end()
	buf := make([]byte, bufferSize)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			if count != nil {
				count.Add(int64(n))
			}
			if gate := b.proxy.paused(); gate != nil {
				select {
				case <-gate:
				case <-b.ended:
					return
				}
			}
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// cut ends the client's side in the given manner, then the target's side. A goroutine of ours waits in Read on both:
// shutting down first lets the FIN leave at once, while Close alone would first wait for that goroutine.
func (b *bridge) cut(how How) {
	switch how {
	case Reset:
		b.near.SetLinger(0) // fails only on a closed connection
	case FIN:
		b.near.CloseWrite() // likewise
	}
	b.end()
}

// end closes both sides, the client's first. It may be called several times.
func (b *bridge) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over {
		return
	}
	b.over = true
	b.near.Close()
	if b.far != nil {
		b.far.Close()
	}
	close(b.ended)
}
