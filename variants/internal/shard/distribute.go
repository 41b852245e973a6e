package shard

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/failrate/failrate/variants/internal/wire"
)

// distribute passes a request on to every replica that is not behind. One that fails is marked behind; the client does
// not hear of it.
func (n *Node) distribute(ctx context.Context, path string, body any) {
	for _, m := range n.state.Members() {
		if m.Leader || m.Behind {
			continue
		}
		if _, err := n.send(ctx, m.Addr, http.MethodPost, path, fromLeader, body); err != nil {
			n.state.change(m.Addr, func(m *Member) { m.Behind = true })
		}
	}
}

// forward hands a client's request to the leader.
func (n *Node) forward(ctx context.Context, path string, body any) error {
	_, err := n.send(ctx, n.state.Leader(), http.MethodPost, path, fromReplica, body)
	return err
}

// prepare is a follower's question before it catches up: can the leader reach it again?
func (n *Node) prepare(w http.ResponseWriter, req *http.Request) {
	m, err := n.state.Find(req.URL.Query().Get("member"))
	if err == nil {
		_, err = n.send(req.Context(), m.Addr, http.MethodGet, "/ping", fromLeader, nil)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	reply(w, "ok")
}

func (n *Node) send(ctx context.Context, addr, method, path, role string, body any) (wire.Answer, error) {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return wire.Answer{}, err
		}
	}
	return n.sender.Send(ctx, wire.Request{Addr: addr, Method: method, Path: path, From: role, Body: text})
}

// memberQuery is the path of a prepare request for the member.
func memberQuery(addr string) string { return "/prepare?member=" + url.QueryEscape(addr) }
