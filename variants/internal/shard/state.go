// Package shard is one shard of a small search cluster: a leader, a replica, and how a replica that missed updates
// catches up.
//
// A Node answers HTTP on the loopback. It takes updates, soft commits and queries, as real servers do: a replica hands
// a client's update to the leader, the leader gives it a version, applies it and passes it on to the replicas, and one
// that it cannot reach is marked behind while the client still gets its yes. Package cloudclient is the other side of
// these requests. A Node keeps everything in memory, elects nobody and shards nothing.
package shard

import (
	"fmt"
	"slices"
	"sync"
)

// Status is a member's state as the cluster sees it.
type Status string

// The statuses.
const (
	Active     Status = "active"
	Recovering Status = "recovering"
)

// Member is one node as registered.
type Member struct {
	Addr   string // host:port under which everybody reaches it: the proxy's, when it has one
	Leader bool
	Status Status
	Behind bool // the leader could not pass an update on to it
}

// State is what all nodes and clients know of the cluster; it stands for the coordination service, which no cut ever
// touches. The zero value is an empty cluster. It is safe for use by several goroutines.
type State struct {
	mu      sync.Mutex
	members []Member
}

// Join registers a member; it is active from then on.
func (s *State) Join(addr string, leader bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.members = append(s.members, Member{Addr: addr, Leader: leader, Status: Active})
}

// Members lists the members in the order in which they joined.
func (s *State) Members() []Member {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.members)
}

// Leader is the leader's address; empty when there is none.
func (s *State) Leader() string {
	for _, m := range s.Members() {
		if m.Leader {
			return m.Addr
		}
	}
	return ""
}

// Find gives the member at an address.
func (s *State) Find(addr string) (Member, error) {
	for _, m := range s.Members() {
		if m.Addr == addr {
			return m, nil
		}
	}
	return Member{}, fmt.Errorf("no member at %q", addr)
}

// change edits the member at an address, if there is one.
func (s *State) change(addr string, edit func(*Member)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.members {
		if s.members[i].Addr == addr {
			edit(&s.members[i])
		}
	}
}
