package quickwit

import (
	"slices"
	"time"
)

// told is a source that a node has told the cluster of.
type told struct {
	uid    IndexUID
	source string
}

// broadcaster publishes what one ingester has, every Tick.
type broadcaster struct {
	c        *Cluster
	node     int
	previous []told                     // of the last tick
	values   map[told]Capacity          // as published: a value that stays is not published again
	arrive   map[int]time.Duration      // when the last update reaches each router, so that none overtakes another
	seen     map[IndexUID]time.Duration // the last tick that spoke of an incarnation
	ticks    []time.Duration            // all of them
}

func (b *broadcaster) tick() {
	c := b.c
	g := c.ingesters[b.node]
	routes, _ := g.snapshot()
	score := g.score()
	g.last = g.remaining()
	b.ticks = append(b.ticks, c.clock.Now())
	var current []told
	for _, r := range routes {
		current = append(current, told{r.UID, r.Source})
		b.seen[r.UID] = c.clock.Now()
		b.publish(r)
	}
	for _, was := range b.previous {
		switch {
		case slices.Contains(current, was):
		case c.cfg.Build.CompareUIDs: // its count is zero now; the score is still the node's
			b.publish(Capacity{Node: b.node, UID: was.uid, Source: was.source, Score: score})
		default: // its key is removed, which no router hears of
			delete(b.values, was)
		}
	}
	b.previous = current
	c.later(c.cfg.Tick, b.tick)
}

// publish sets a key of the gossiped state. The node's own router hears of it at once, the others when gossip gets there.
func (b *broadcaster) publish(u Capacity) {
	k := told{u.UID, u.Source}
	if old, ok := b.values[k]; ok && old == u {
		return
	}
	b.values[k] = u
	if b.c.cfg.Build.PerShard {
		return // its routers do not listen
	}
	for _, r := range b.c.routers {
		if r.node == b.node {
			r.table.update(u)
			continue
		}
		at := max(b.arrive[r.node], b.c.clock.Now()+b.c.chance(b.c.cfg.Gossip))
		b.arrive[r.node] = at
		b.c.later(at-b.c.clock.Now(), func() { r.table.update(u) })
	}
}
