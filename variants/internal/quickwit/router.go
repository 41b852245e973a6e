package quickwit

import (
	"fmt"
	"maps"
	"slices"
)

// router takes documents from clients and sends them to ingesters.
type router struct {
	c       *Cluster
	node    int
	table   routes
	waiting map[key][]func(IndexUID, []Shard, Reason) // who waits for the control plane's answer: it is asked once
	closed  map[string]bool                           // shards that ingesters said are closed
}

// batch is the documents of one request.
type batch struct {
	docs, bytes int
	onPublished func() // nil when nobody waits
}

// work is one request on its way.
type work struct {
	key         key
	batch       *batch
	unavailable map[int]bool // leaders that failed this request
	ingest      Ingest
	done        func(Ingest)
}

// attempt is one of the five. There is no pause between them.
func (r *router) attempt(w *work) {
	if len(w.ingest.Attempts) == maxAttempts {
		r.finish(w)
		return
	}
	if r.table.open(w.key, r.usable(w)) {
		r.send(w, false)
		return
	}
	r.ask(w, func(uid IndexUID, shards []Shard, why Reason) {
		switch why {
		case Persisted:
			r.send(w, true)
		case IndexNotFound: // no attempt can change that
			w.ingest.Attempts = append(w.ingest.Attempts, Attempt{Asked: true, Node: -1, Reason: why})
			r.finish(w)
		default:
			r.next(w, Attempt{Asked: true, Node: -1, Reason: why})
		}
	})
}

func (r *router) usable(w *work) func(int) bool {
	return func(n int) bool { return r.c.usable(n) && !w.unavailable[n] }
}

// ask has the control plane give or open shards. Whoever asks for the same source meanwhile waits for the same answer.
func (r *router) ask(w *work, then func(IndexUID, []Shard, Reason)) {
	k := w.key
	r.waiting[k] = append(r.waiting[k], then)
	if len(r.waiting[k]) > 1 {
		return
	}
	q := question{key: k, closed: slices.Sorted(maps.Keys(r.closed)), unavailable: maps.Clone(w.unavailable)}
	r.c.later(r.c.cfg.RPC, func() {
		r.c.control.openShards(q, func(uid IndexUID, shards []Shard, why Reason) {
			r.c.later(r.c.cfg.RPC, func() {
				if why == Persisted {
					r.table.merge(uid, k.source, shards)
				}
				all := r.waiting[k]
				delete(r.waiting, k)
				for _, f := range all {
					f(uid, shards, why)
				}
			})
		})
	})
}

// send picks a node and has it persist the batch.
func (r *router) send(w *work, asked bool) {
	to, ok := r.table.pick(w.key, r.usable(w), r.c.dice)
	if !ok {
		r.next(w, Attempt{Asked: asked, Node: -1, Reason: NoRoute})
		return
	}
	answered := false
	reply := func(a answer) {
		if answered {
			return
		}
		answered = true
		r.process(w, to, Attempt{Asked: asked, Node: to.node, UID: to.uid, Reason: a.reason, Limited: a.limits}, a)
	}
	r.c.later(persistTimeout, func() { reply(answer{reason: TimedOut}) })
	r.c.later(r.c.cfg.RPC, func() {
		switch g := r.c.ingesters[to.node]; g.status {
		case Hung: // no answer
		case Gone:
			reply(answer{reason: NodeUnavailable})
		default:
			a := g.persist(to, w.key.source, w.batch)
			r.c.later(r.c.cfg.RPC, func() { reply(a) })
		}
	})
}

// process learns from an ingester's answer: first from the refusal, then from the routing update that came with it.
func (r *router) process(w *work, to target, t Attempt, a answer) {
	switch a.reason {
	case NodeUnavailable, WALFull, TimedOut:
		w.unavailable[to.node] = true
	}
	if a.reason != Persisted {
		r.table.refused(to, w.key.source, a.reason)
	}
	for _, u := range a.routes {
		r.table.update(u)
	}
	for _, id := range a.closed {
		r.closed[id] = true
	}
	if a.reason != Persisted {
		r.next(w, t)
		return
	}
	w.ingest.Attempts = append(w.ingest.Attempts, t)
	r.finish(w)
}

func (r *router) next(w *work, t Attempt) {
	w.ingest.Attempts = append(w.ingest.Attempts, t)
	r.attempt(w)
}

// finish answers with the last failure, or with success.
func (r *router) finish(w *work) {
	last := w.ingest.Attempts[len(w.ingest.Attempts)-1]
	w.ingest.Err = clientError(w.key.index, last.Reason)
	w.done(w.ingest)
}

// clientError is what the client sees of a reason. Many of them look the same.
func clientError(index string, why Reason) error {
	switch why {
	case Persisted:
		return nil
	case IndexNotFound:
		return notFound(index)
	case ShardLimited:
		return &Error{Code: 429, Text: "rate limited (shard rate limiting)"}
	case WALFull:
		return &Error{Code: 429, Text: "rate limited (WAL full)"}
	case TimedOut:
		return &Error{Code: 503, Text: "ingest service is unavailable (timeout)"}
	}
	return &Error{Code: 503, Text: "ingest service is unavailable (no shards available)"}
}

func notFound(index string) *Error {
	return &Error{Code: 404, Text: fmt.Sprintf("index `%s` not found", index)}
}
