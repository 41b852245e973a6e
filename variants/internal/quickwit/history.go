package quickwit

import (
	"cmp"
	"slices"
	"time"
)

// History tells what became of an incarnation so far.
func (c *Cluster) History(uid IndexUID) History {
	h := History{Persisted: -1, Deleted: -1, Retained: -1, Ticked: -1}
	if known := c.history[uid]; known != nil {
		h = *known
	}
	for _, b := range c.broadcasts {
		if at, ok := b.seen[uid]; ok {
			h.Ticked = max(h.Ticked, at)
		}
	}
	return h
}

// TickBetween reports whether a node broadcast in a span of time, its ends included.
func (c *Cluster) TickBetween(node int, from, to time.Duration) bool {
	return slices.ContainsFunc(c.broadcasts[node].ticks, func(t time.Duration) bool { return from <= t && t <= to })
}

func (c *Cluster) deleted(uid IndexUID) {
	if h := c.history[uid]; h != nil {
		h.Deleted = c.clock.Now()
	}
}

func (c *Cluster) retained(uid IndexUID) {
	if h := c.history[uid]; h != nil {
		h.Retained = c.clock.Now()
	}
}

func sortShards(s []Shard) []Shard {
	slices.SortFunc(s, func(a, b Shard) int { return cmp.Compare(a.ID, b.ID) })
	return s
}
