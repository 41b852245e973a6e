package quickwit

import "time"

// Wait is what an ingest request waits for.
type Wait int

// The kinds of waiting: the commit parameter of the ingest API.
const (
	Auto    Wait = iota // answer when the documents are in the write-ahead log
	WaitFor             // answer when they are published
	Force               // have them published now, and answer then
)

// CreateIndex makes an index and answers with its incarnation. Its documents are published after commit, or after the
// cluster's own time when that is 0.
func (c *Cluster) CreateIndex(name string, commit time.Duration, done func(IndexUID, error)) {
	if commit == 0 {
		commit = c.cfg.Commit
	}
	uid := IndexUID{name, ulid(uint64(c.clock.Now().Milliseconds()), c.dice)}
	for old := range c.history { // random bits must not decide the order of two in a millisecond
		if old.Index == name && old.Incarnation >= uid.Incarnation {
			uid.Incarnation = ulid(uint64(c.clock.Now().Milliseconds())+1, c.dice)
		}
	}
	c.later(c.cfg.RPC, func() {
		c.control.create(uid, commit, func(err error) {
			if err == nil {
				c.history[uid] = &History{Persisted: -1, Deleted: -1, Retained: -1, Ticked: -1}
			}
			c.later(c.cfg.RPC, func() { done(uid, err) })
		})
	})
}

// DeleteIndex removes an index.
func (c *Cluster) DeleteIndex(name string, done func(error)) {
	c.later(c.cfg.RPC, func() {
		c.control.delete(name, func(err error) { c.later(c.cfg.RPC, func() { done(err) }) })
	})
}

// Ingest sends documents through the router of a node.
func (c *Cluster) Ingest(node int, name string, docs, bytes int, wait Wait, done func(Ingest)) {
	answered := false
	finish := func(i Ingest) {
		if !answered {
			answered = true
			done(i)
		}
	}
	c.later(ingestTimeout, func() { finish(Ingest{Err: &Error{Code: 500, Text: "request timed out"}}) })
	b := &batch{docs: docs, bytes: bytes}
	published, persisted := false, Ingest{}
	if wait != Auto {
		b.onPublished = func() {
			published = true
			if persisted.Attempts != nil {
				finish(persisted)
			}
		}
	}
	w := &work{key: key{name, Source}, batch: b, unavailable: map[int]bool{}}
	w.done = func(i Ingest) {
		if i.Err != nil || wait == Auto || published {
			finish(i)
			return
		}
		persisted = i
		if wait == Force {
			uid := i.Attempts[len(i.Attempts)-1].UID
			c.later(c.cfg.Force, func() { c.publish(uid, b) })
		}
	}
	c.routers[node].attempt(w)
}

// persisted notes a batch in a log, and has it published when its index's time has come.
func (c *Cluster) persisted(g *ingester, uid IndexUID, b *batch) {
	if h := c.history[uid]; h != nil && h.Persisted < 0 {
		h.Persisted = c.clock.Now()
	}
	commit := c.cfg.Commit
	if x := c.control.indexes[uid.Index]; x != nil && x.uid == uid {
		commit = x.commit
	}
	c.clock.After(commit, func() { // the log outlives a restart
		if c.publish(uid, b) {
			g.used -= float64(b.bytes)
		}
	})
}

// publish makes a batch searchable once; into an incarnation that the metastore does not have, it cannot.
func (c *Cluster) publish(uid IndexUID, b *batch) bool {
	x := c.control.indexes[uid.Index]
	if x == nil || x.uid != uid {
		return false
	}
	x.docs += b.docs
	b.docs = 0
	if f := b.onPublished; f != nil {
		b.onPublished = nil
		f()
	}
	return true
}

// Count is how many documents of an index can be found.
func (c *Cluster) Count(name string) (int, error) {
	x := c.control.indexes[name]
	if x == nil {
		return 0, notFound(name)
	}
	return x.docs, nil
}

// Routes is the routing table of a node.
func (c *Cluster) Routes(node int) []Route { return c.routers[node].table.list() }

// Shards lists the open shards of a node.
func (c *Cluster) Shards(node int) []Shard {
	var out []Shard
	for _, s := range c.ingesters[node].shards {
		if !s.Closed {
			out = append(out, s.Shard)
		}
	}
	return sortShards(out)
}

// UID is the incarnation that an index has now.
func (c *Cluster) UID(name string) (IndexUID, bool) {
	x := c.control.indexes[name]
	if x == nil {
		return IndexUID{}, false
	}
	return x.uid, true
}

// Nodes is how many nodes there are.
func (c *Cluster) Nodes() int { return len(c.ingesters) }
