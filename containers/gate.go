package containers

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/docker/docker/api/types/container"

	"github.com/failrate/failrate/containers/agent"
	"github.com/failrate/failrate/harness/service"
	"github.com/failrate/failrate/harness/study"
)

// gate is the container on a private network by which the harness asks services whether they are ready, and subjects ask
// the harness to act on them. All of it goes over the connection that is attached to the container, so nothing has to
// reach this host from the network or the network from this host: that works with an engine in a virtual machine, such as
// Docker Desktop's, and behind a firewall, as well as here.
//
// A gate stays on its network from one use to the next, and obeys only whom it was bound for: each use has a token of its
// own in the URL.
type gate struct {
	link      *link
	root      string        // of its URL
	listening chan struct{} // closed when nothing comes any more

	strangers sync.WaitGroup // answers to those who ask between two uses

	sending sync.Mutex
	mu      sync.Mutex // guards the rest
	next    int
	probes  map[int]chan string
	broken  error // why nothing comes from the gate any more
	use     *gateUse
}

// gateUse is one use of a gate.
type gateUse struct {
	token string
	act   service.Act
	life  context.Context
	end   context.CancelFunc
	work  sync.WaitGroup
}

// openGate starts a gate.
func (h *Services) openGate(ctx context.Context, n private, image string) (*gate, error) {
	address := n.address(gatePlace)
	g := &gate{root: "http://" + net.JoinHostPort(address, strconv.Itoa(agent.GatePort)), listening: make(chan struct{}), probes: map[int]chan string{}}
	s := spec{kind: kindGate, image: image, network: container.NetworkMode(n.id), address: address, gate: true, keep: true,
		labels: labelled(h.options.Owner.labels(), kindGate, nil)}
	var err error
	if g.link, err = h.options.Engine.open(ctx, s, newName(kindGate), nil); err != nil {
		return nil, fmt.Errorf("gate of the services' network: %w", err)
	}
	if err := g.link.awaitHello(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("gate of the services' network: %w", err), g.link.remove(ctx))
	}
	if err := g.link.conn.SetReadDeadline(time.Time{}); err != nil {
		return nil, errors.Join(err, g.link.remove(ctx))
	}
	go g.listen()
	return g, nil
}

// bind begins a use, and gives its URL.
func (g *gate) bind(act service.Act) (url string) {
	u := &gateUse{token: "/" + strings.ToLower(rand.Text()), act: act}
	u.life, u.end = context.WithCancel(context.Background())
	g.mu.Lock()
	defer g.mu.Unlock()
	g.use = u
	return g.root + u.token
}

// release ends the use and waits for what is carried out for it; false when the gate is of no use any more.
func (g *gate) release() bool {
	g.mu.Lock()
	u := g.use
	g.use = nil
	g.mu.Unlock()
	if u != nil {
		u.end()
		u.work.Wait()
	}
	return g.sound()
}

// sound reports whether the gate can be used.
func (g *gate) sound() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.broken == nil
}

// close ends the gate.
func (g *gate) close(ctx context.Context) error {
	g.release()
	err := g.link.remove(ctx)
	<-g.listening
	g.strangers.Wait()
	return err
}

// listen takes what the gate says until its connection ends.
func (g *gate) listen() {
	defer close(g.listening)
	for {
		kind, payload, err := agent.ReadFrame(g.link.frames, g.link.buf)
		g.link.buf = payload
		var said agent.GateSaid
		if err == nil && (kind != agent.KindGate || json.Unmarshal(payload, &said) != nil) {
			err = errAgent
		}
		if err != nil {
			g.fail(fmt.Errorf("the gate of the services' network ended: %w", oneLine(err)))
			return
		}
		if said.Probed != nil {
			g.answer(*said.Probed)
		}
		if said.Asked != nil {
			g.take(*said.Asked)
		}
	}
}

func (g *gate) fail(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.broken = err
	for id, c := range g.probes {
		c <- err.Error()
		delete(g.probes, id)
	}
}

func (g *gate) answer(p agent.Probed) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c := g.probes[p.ID]; c != nil {
		c <- p.Why
		delete(g.probes, p.ID)
	}
}

// take begins what somebody on the network asks for.
func (g *gate) take(a agent.Asked) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.use == nil {
		g.strangers.Go(func() { g.say(agent.Answer{ID: a.ID, Status: http.StatusNotFound, Text: nothingHere}) })
		return
	}
	u := g.use
	u.work.Go(func() { g.say(u.carry(a)) }) // begun before release can wait
}

const nothingHere = "there is nothing here\n"

// carry does what a subject asks for.
func (u *gateUse) carry(a agent.Asked) agent.Answer {
	answer := agent.Answer{ID: a.ID, Status: http.StatusNotFound, Text: nothingHere}
	n := len(u.token)
	if len(a.Path) < n || subtle.ConstantTimeCompare([]byte(a.Path[:n]), []byte(u.token)) != 1 {
		return answer
	}
	answer.Status, answer.Text = http.StatusMethodNotAllowed, "actions are sent by POST\n"
	if a.Method == http.MethodPost {
		answer.Status, answer.Text = service.Carry(u.life, a.Path[n:], u.act)
	}
	return answer
}

// say answers. Whoever asked hears nothing when the gate is gone.
func (g *gate) say(a agent.Answer) { _ = g.send(agent.GateOrder{Answer: &a}) }

func (g *gate) send(o agent.GateOrder) error {
	b, err := json.Marshal(o)
	if err != nil {
		return fmt.Errorf("encode order: %w", err)
	}
	g.sending.Lock()
	defer g.sending.Unlock()
	if _, err := g.link.conn.Write(append(b, '\n')); err != nil {
		return fmt.Errorf("send to the gate: %w", oneLine(err))
	}
	return nil
}

// probe asks once whether a service answers as it should.
func (g *gate) probe(ctx context.Context, address string, r study.Ready) error {
	why := make(chan string, 1)
	g.mu.Lock()
	if err := g.broken; err != nil {
		g.mu.Unlock()
		return err
	}
	g.next++
	id := g.next
	g.probes[id] = why
	g.mu.Unlock()
	defer func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.probes, id)
	}()
	if err := g.send(agent.GateOrder{Probe: &agent.Probe{ID: id, Address: address, HTTP: r.HTTP, Status: r.Status}}); err != nil {
		return err
	}
	select {
	case text := <-why:
		if text != "" {
			return errors.New(text)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("no answer: %w", context.Cause(ctx))
	}
}
