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
type gate struct {
	link  *link
	url   string // FAILRATE_CONTROL
	token string
	act   service.Act
	life  context.Context
	end   context.CancelFunc
	work  sync.WaitGroup

	sending sync.Mutex
	mu      sync.Mutex // guards the rest
	next    int
	probes  map[int]chan string
	broken  error // why nothing comes from the gate any more
}

// openGate starts a gate.
func (h *Services) openGate(ctx context.Context, n private, image string, a service.Ask) (*gate, error) {
	g := &gate{token: "/" + strings.ToLower(rand.Text()), act: a.Act, probes: map[int]chan string{}}
	address := n.address(gatePlace)
	s := spec{kind: kindGate, image: image, network: container.NetworkMode(n.id), address: address, gate: true, keep: true,
		labels: labelled(h.options.Owner.labels(), kindGate, map[string]string{labelTrial: a.ID})}
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
	g.url = "http://" + net.JoinHostPort(address, strconv.Itoa(agent.GatePort)) + g.token
	g.life, g.end = context.WithCancel(context.Background())
	g.work.Go(g.listen)
	return g, nil
}

// close ends the gate and waits for what it carries out.
func (g *gate) close(ctx context.Context) error {
	g.end()
	err := g.link.remove(ctx)
	g.work.Wait()
	return err
}

// listen takes what the gate says until its connection ends.
func (g *gate) listen() {
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
			g.work.Go(func() { g.carry(*said.Asked) })
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

// carry does what a subject asks for.
func (g *gate) carry(a agent.Asked) {
	answer := agent.Answer{ID: a.ID, Status: http.StatusNotFound, Text: "there is nothing here\n"}
	if path, ok := strings.CutPrefix(a.Path, a.Path[:min(len(g.token), len(a.Path))]); ok &&
		subtle.ConstantTimeCompare([]byte(a.Path[:len(a.Path)-len(path)]), []byte(g.token)) == 1 {
		answer.Status, answer.Text = http.StatusMethodNotAllowed, "actions are sent by POST\n"
		if a.Method == http.MethodPost {
			answer.Status, answer.Text = service.Carry(g.life, path, g.act)
		}
	}
	_ = g.send(agent.GateOrder{Answer: &answer}) // the subject hears nothing when its gate is gone
}

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
