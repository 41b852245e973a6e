package quickwit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// control is the control plane, with the metastore behind it.
type control struct {
	c       *Cluster
	indexes map[string]*index
	shards  map[string]Shard
	opened  int // shards ever, for their names

	rebuilt   time.Duration // when the plan was last made; negative before the first time
	planned   bool          // a rebuild is due when the cool-down ends
	onRebuilt []func()
}

// index is an index as the metastore has it.
type index struct {
	uid     IndexUID
	commit  time.Duration
	minimum int // shards to open on demand
	docs    int // published
}

// create adds an index. It answers when the plan has been rebuilt, which opens no shard: there is none to plan for.
func (p *control) create(uid IndexUID, commit time.Duration, done func(error)) {
	if p.indexes[uid.Index] != nil {
		done(&Error{Code: 400, Text: fmt.Sprintf("index `%s` already exists", uid.Index)})
		return
	}
	p.indexes[uid.Index] = &index{uid: uid, commit: commit, minimum: max(1, p.c.cfg.MinShards)}
	p.rebuild(func() { done(nil) })
}

// rebuild makes the indexing plan now, or once when the cool-down of the last time ends.
func (p *control) rebuild(done func()) {
	p.onRebuilt = append(p.onRebuilt, done)
	if p.planned {
		return
	}
	p.planned = true
	wait := time.Duration(0)
	if p.rebuilt >= 0 {
		wait = max(0, p.rebuilt+p.c.cfg.Cooldown-p.c.clock.Now())
	}
	p.c.later(wait, func() {
		p.rebuilt, p.planned = p.c.clock.Now(), false
		waiting := p.onRebuilt
		p.onRebuilt = nil
		for _, f := range waiting {
			f()
		}
	})
}

// delete removes an index and has its ingesters drop its shards. Nobody tells the routers. It answers at once, or with
// SyncDelete when every ingester has acknowledged.
func (p *control) delete(name string, done func(error)) {
	x := p.indexes[name]
	if x == nil {
		done(notFound(name))
		return
	}
	delete(p.indexes, name)
	p.c.deleted(x.uid)
	holders := map[int]bool{}
	for id, s := range p.shards {
		if s.UID == x.uid {
			holders[s.Leader] = true
			delete(p.shards, id)
		}
	}
	p.rebuild(func() {})
	silent := maps.Clone(holders)
	answered := !p.c.cfg.Build.SyncDelete || len(silent) == 0
	for _, node := range slices.Sorted(maps.Keys(holders)) {
		p.sendRetain(node, x.uid, func() {
			if delete(silent, node); len(silent) == 0 && !answered {
				answered = true
				done(nil)
			}
		})
	}
	if answered {
		done(nil)
		return
	}
	p.c.later(ackTimeout, func() {
		if !answered {
			answered = true
			done(&Error{Code: 500, Text: fmt.Sprintf("index `%s`: no acknowledgement of the deletion from %s", name, names(silent))})
		}
	})
}

func names(nodes map[int]bool) string {
	var out []string
	for _, n := range slices.Sorted(maps.Keys(nodes)) {
		out = append(out, NodeName(n))
	}
	return strings.Join(out, ", ")
}

// sendRetain tells an ingester which shards it still has; acked is called when it says so in time.
func (p *control) sendRetain(node int, uid IndexUID, acked func()) {
	keep := map[string]bool{}
	for id, s := range p.shards {
		if s.Leader == node {
			keep[id] = true
		}
	}
	if p.c.cfg.RetainLost {
		return
	}
	sent := p.c.clock.Now()
	p.c.later(p.c.cfg.RPC+p.c.cfg.RetainDelay, func() {
		g := p.c.ingesters[node]
		if g.status == Gone || g.status == Hung {
			return
		}
		g.retain(keep)
		p.c.retained(uid)
		p.c.later(p.c.cfg.RPC, func() {
			if p.c.clock.Now()-sent <= ackTimeout {
				acked()
			}
		})
	})
}

// question is what a router asks when it knows no open shard.
type question struct {
	key         key
	closed      []string     // shards that the router knows to be closed
	unavailable map[int]bool // nodes that did not answer
}

// openShards gives the open shards of an index, and opens some if there are none.
func (p *control) openShards(q question, done func(IndexUID, []Shard, Reason)) {
	for _, id := range q.closed {
		if s, ok := p.shards[id]; ok {
			s.Closed = true
			p.shards[id] = s
		}
	}
	x := p.indexes[q.key.index]
	if x == nil {
		done(IndexUID{}, nil, IndexNotFound)
		return
	}
	if open := p.openOf(x.uid, q); len(open) > 0 {
		done(x.uid, open, Persisted)
		return
	}
	nodes := p.hosts(q.unavailable)
	if len(nodes) == 0 {
		p.c.log(Event{Level: "WARN", Message: "failed to get open shards: no ingesters available", Node: -1, UID: x.uid})
		done(IndexUID{}, nil, NoIngesters)
		return
	}
	var fresh []Shard
	for i := range x.minimum {
		p.opened++
		fresh = append(fresh, Shard{ID: fmt.Sprintf("shard-%06d", p.opened), UID: x.uid, Source: q.key.source, Leader: nodes[i%len(nodes)]})
	}
	p.c.later(2*p.c.cfg.RPC, func() { // the ingesters make the queues and answer
		for _, s := range fresh {
			p.c.ingesters[s.Leader].shards[s.ID] = &localShard{Shard: s, limit: bucket{p.c.cfg.ShardBurst, p.c.clock.Now()}}
			p.shards[s.ID] = s
		}
		p.rebuild(func() { p.fetch(fresh) })
		done(x.uid, fresh, Persisted)
	})
}

// fetch has the indexers that the plan names read from new shards, which is the other thing that lets broadcasts speak
// of a shard.
func (p *control) fetch(fresh []Shard) {
	p.c.later(2*p.c.cfg.RPC, func() {
		for _, s := range fresh {
			if local := p.c.ingesters[s.Leader].shards[s.ID]; local != nil {
				local.advertisable = true
			}
		}
	})
}

func (p *control) openOf(uid IndexUID, q question) []Shard {
	var out []Shard
	for _, id := range slices.Sorted(maps.Keys(p.shards)) {
		s := p.shards[id]
		if s.UID == uid && s.Source == q.key.source && !s.Closed && !q.unavailable[s.Leader] && p.c.usable(s.Leader) {
			out = append(out, s)
		}
	}
	return out
}

// hosts lists the nodes that can take a new shard, the emptiest first.
func (p *control) hosts(unavailable map[int]bool) []int {
	load := map[int]int{}
	for _, s := range p.shards {
		load[s.Leader]++
	}
	var out []int
	for n := range p.c.ingesters {
		if p.c.usable(n) && !unavailable[n] {
			out = append(out, n)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(load[a], load[b]) })
	return out
}
