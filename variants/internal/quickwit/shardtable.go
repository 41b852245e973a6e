package quickwit

import (
	"math/rand/v2"
	"slices"
)

// shardTable routes to shards, as builds up to 92a526b do. Broadcasts do not reach it: it learns from the control plane,
// and from refusals.
type shardTable struct{ entries map[key]*shardEntry }

type shardEntry struct {
	uid    IndexUID
	shards []Shard // in the order in which they were learnt
	next   int     // round robin
}

func (t *shardTable) open(k key, usable func(int) bool) bool {
	e := t.entries[k]
	return e != nil && slices.ContainsFunc(e.shards, func(s Shard) bool { return !s.Closed && usable(s.Leader) })
}

func (t *shardTable) merge(uid IndexUID, source string, shards []Shard) {
	k := uid.key(source)
	e := t.entries[k]
	if e == nil || e.uid.compare(uid) < 0 {
		e = &shardEntry{uid: uid}
		t.entries[k] = e
	}
	if e.uid.compare(uid) > 0 {
		return
	}
	for _, s := range shards {
		if i := e.find(s.ID); i >= 0 {
			e.shards[i] = s
		} else {
			e.shards = append(e.shards, s)
		}
	}
}

func (e *shardEntry) find(id string) int {
	return slices.IndexFunc(e.shards, func(s Shard) bool { return s.ID == id })
}

func (t *shardTable) update(Capacity) {}

func (t *shardTable) pick(k key, usable func(int) bool, _ *rand.Rand) (target, bool) {
	e := t.entries[k]
	if e == nil {
		return target{}, false
	}
	for range e.shards {
		s := e.shards[e.next%len(e.shards)]
		e.next++
		if !s.Closed && usable(s.Leader) {
			return target{node: s.Leader, uid: e.uid, shard: s.ID}, true
		}
	}
	return target{}, false
}

// refused forgets a shard that its ingester does not have, so that the next attempt asks the control plane.
func (t *shardTable) refused(to target, source string, why Reason) {
	e := t.entries[to.uid.key(source)]
	if e == nil || e.uid != to.uid {
		return
	}
	i := e.find(to.shard)
	switch {
	case i < 0:
	case why == ShardNotFound:
		e.shards = slices.Delete(e.shards, i, i+1)
	case why == ShardClosed:
		e.shards[i].Closed = true
	}
}

func (t *shardTable) list() []Route {
	var out []Route
	for k, e := range t.entries {
		counts := map[int]int{}
		for _, s := range e.shards {
			counts[s.Leader] += open01(s)
		}
		for node, n := range counts {
			out = append(out, Route{Capacity: Capacity{Node: node, UID: e.uid, Source: k.source, Open: n}, Seeded: true})
		}
	}
	return sortRoutes(out)
}
