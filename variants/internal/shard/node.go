package shard

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"

	"github.com/failrate/failrate/variants/internal/wire"
)

// The values of wire.RoleHeader: who sends a request to a node.
const (
	fromClient  = "" // no header
	fromReplica = "replica"
	fromLeader  = "leader"
)

// Node is one server of the shard. Create it with Start, then let it Join.
type Node struct {
	state  *State
	index  *index
	sender wire.Sender
	server *wire.Server
	addr   string // as registered
	leader bool

	beforeAnswer atomic.Pointer[func()]
}

// Start runs a node that keeps the last keep updates in its log. It sends to other nodes with the sender, which it
// closes in the end.
func Start(state *State, sender wire.Sender, keep int) (*Node, error) {
	n := &Node{state: state, index: newIndex(keep), sender: sender}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /update", n.update)
	mux.HandleFunc("POST /commit", n.commit)
	mux.HandleFunc("POST /prepare", n.prepare)
	mux.HandleFunc("GET /query", func(w http.ResponseWriter, _ *http.Request) { reply(w, n.index.visible()) })
	mux.HandleFunc("GET /ping", func(w http.ResponseWriter, _ *http.Request) { reply(w, "ok") })
	mux.HandleFunc("GET /index", func(w http.ResponseWriter, _ *http.Request) { reply(w, n.index.copy()) })
	mux.HandleFunc("GET /updates/{after}", n.updates)
	var err error
	if n.server, err = wire.Serve(mux); err != nil {
		return nil, err
	}
	return n, nil
}

// Listen is the address of the node's own socket, for a proxy to stand in front of.
func (n *Node) Listen() string { return n.server.Addr() }

// Join registers the node under an address: its own, or that of the proxy in front of it.
func (n *Node) Join(addr string, leader bool) {
	n.addr, n.leader = addr, leader
	n.state.Join(addr, leader)
}

// Addr is the address under which the node joined.
func (n *Node) Addr() string { return n.addr }

// Applied says how often an update with this id was applied here.
func (n *Node) Applied(id string) int {
	n.index.mu.Lock()
	defer n.index.mu.Unlock()
	return n.index.applied[id]
}

// Contents lists every document with its version, sorted.
func (n *Node) Contents() []string { return n.index.contents() }

// BeforeAnswer has a function called once, when the next update that a client sent here has been applied and the
// answer has not been written yet.
func (n *Node) BeforeAnswer(call func()) { n.beforeAnswer.Store(&call) }

// Close ends the node's connections, those of its sender too.
func (n *Node) Close() error {
	n.sender.Close()
	return n.server.Close()
}

// update takes a document from a client or from another node.
func (n *Node) update(w http.ResponseWriter, req *http.Request) {
	var u Update
	if err := json.NewDecoder(req.Body).Decode(&u); err != nil || u.ID == "" {
		http.Error(w, "an update needs an id", http.StatusBadRequest)
		return
	}
	role := req.Header.Get(wire.RoleHeader)
	switch {
	case n.leader:
		n.distribute(req.Context(), "/update", n.index.add(u))
	case role == fromLeader:
		n.index.add(u)
	default:
		if err := n.forward(req.Context(), "/update", u); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
	}
	n.answered(role)
	reply(w, "ok")
}

// commit opens a new searcher here, and on the replicas when it is the leader's.
func (n *Node) commit(w http.ResponseWriter, req *http.Request) {
	switch {
	case n.leader:
		n.index.openSearcher()
		n.distribute(req.Context(), "/commit", nil)
	case req.Header.Get(wire.RoleHeader) == fromLeader:
		n.index.openSearcher()
	default:
		if err := n.forward(req.Context(), "/commit", nil); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
	}
	reply(w, "ok")
}

// updates answers a follower that wants to catch up without a copy.
func (n *Node) updates(w http.ResponseWriter, req *http.Request) {
	version, err := strconv.ParseInt(req.PathValue("after"), 10, 64)
	if err != nil {
		http.Error(w, fmt.Sprintf("%q is not a version", req.PathValue("after")), http.StatusBadRequest)
		return
	}
	reply(w, n.index.after(version))
}

// answered gives BeforeAnswer's function its call.
func (n *Node) answered(role string) {
	if role != fromClient {
		return
	}
	if call := n.beforeAnswer.Swap(nil); call != nil {
		(*call)()
	}
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v) // fails only when the client is gone
}
