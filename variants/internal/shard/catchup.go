package shard

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// Way is how a node came level with its leader.
type Way string

// The ways.
const (
	InSync   Way = "in-sync"   // it had missed nothing
	PeerSync Way = "peer-sync" // the leader's log held everything that it had missed
	FullCopy Way = "full-copy" // it had missed more than the log holds, and took the whole index
)

// CatchUp brings a node that is behind level with its leader, and makes it active again. It says how, and how many
// updates were missing. The leader must be able to reach the node under its registered address, so a node behind a
// proxy that is still cut gives an error and stays behind. No update may arrive meanwhile.
func (n *Node) CatchUp(ctx context.Context) (Way, int64, error) {
	me, err := n.state.Find(n.addr)
	if err != nil {
		return "", 0, err
	}
	if !me.Behind {
		return InSync, 0, nil
	}
	n.state.change(n.addr, func(m *Member) { m.Status = Recovering })
	leader := n.state.Leader()
	if _, err := n.send(ctx, leader, http.MethodPost, memberQuery(n.addr), fromReplica, nil); err != nil {
		return "", 0, fmt.Errorf("the leader cannot reach the node at %s: %w", n.addr, err)
	}
	way, missed, err := n.fetch(ctx, leader)
	if err != nil {
		return "", missed, err
	}
	n.index.openSearcher()
	n.state.change(n.addr, func(m *Member) { m.Status, m.Behind = Active, false })
	return way, missed, nil
}

// fetch takes the missing updates, or everything.
func (n *Node) fetch(ctx context.Context, leader string) (Way, int64, error) {
	version := n.index.copy().Version
	var r recent
	if err := n.get(ctx, leader, "/updates/"+strconv.FormatInt(version, 10), &r); err != nil {
		return "", 0, err
	}
	missed := r.Version - version
	if r.Complete {
		for _, u := range r.Updates {
			n.index.add(u)
		}
		return PeerSync, missed, nil
	}
	var w whole
	if err := n.get(ctx, leader, "/index", &w); err != nil {
		return "", missed, err
	}
	n.index.replace(w)
	return FullCopy, missed, nil
}

func (n *Node) get(ctx context.Context, addr, path string, into any) error {
	a, err := n.send(ctx, addr, http.MethodGet, path, fromReplica, nil)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(a.Body, into); err != nil {
		return fmt.Errorf("answer to GET %s: %w", path, err)
	}
	return nil
}
