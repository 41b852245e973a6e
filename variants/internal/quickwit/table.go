package quickwit

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
)

// target is where a persist request goes.
type target struct {
	node  int
	uid   IndexUID
	shard string // empty when the ingester chooses
}

// routes is a routing table: one kind routes to nodes, the older one to shards.
type routes interface {
	open(k key, usable func(node int) bool) bool
	merge(uid IndexUID, source string, shards []Shard) // what the control plane answered
	update(u Capacity)                                 // from a broadcast or with the answer of a persist request
	pick(k key, usable func(node int) bool, dice *rand.Rand) (target, bool)
	refused(t target, source string, why Reason)
	list() []Route
}

// Capacity is what a node says of one source: it travels by broadcast and with every answer of a persist request.
type Capacity struct {
	Node   int
	UID    IndexUID
	Source string
	Score  int // 0 to 10; 0 takes nothing
	Open   int // open shards
}

// Route is a row of a routing table, for looking at.
type Route struct {
	Capacity
	Seeded bool // the control plane has been asked for this entry
}

// nodeTable routes to nodes.
type nodeTable struct {
	build   Build
	entries map[key]*entry
}

type entry struct {
	uid    IndexUID
	nodes  map[int]Capacity
	seeded bool
}

// open reports whether a usable node of the entry has open shards, so that the control plane need not be asked.
func (t *nodeTable) open(k key, usable func(int) bool) bool {
	e := t.entries[k]
	if e == nil || t.build.CompareUIDs && !e.seeded {
		return false
	}
	return len(e.candidates(usable)) > 0
}

// candidates lists the nodes that can take documents, by number.
func (e *entry) candidates(usable func(int) bool) []Capacity {
	var out []Capacity
	for _, n := range slices.Sorted(maps.Keys(e.nodes)) {
		if c := e.nodes[n]; c.Score > 0 && c.Open > 0 && usable(n) {
			out = append(out, c)
		}
	}
	return out
}

// at gives the entry for an incarnation, emptied if it was of an older one; nil if it is of a newer one.
func (t *nodeTable) at(uid IndexUID, source string) (e *entry, emptied bool) {
	k := uid.key(source)
	e = t.entries[k]
	if e == nil {
		e = &entry{uid: uid, nodes: map[int]Capacity{}}
		t.entries[k] = e
	}
	if !t.build.CompareUIDs {
		return e, false
	}
	switch order := e.uid.compare(uid); {
	case order > 0:
		return nil, false
	case order < 0:
		e.uid = uid
		clear(e.nodes)
		return e, true
	}
	return e, false
}

func (t *nodeTable) update(u Capacity) {
	e, emptied := t.at(u.UID, u.Source)
	if e == nil {
		return
	}
	if emptied {
		e.seeded = false
	}
	e.nodes[u.Node] = u
}

// merge takes the control plane's answer. Without a comparison of incarnations a node keeps the one it had.
func (t *nodeTable) merge(uid IndexUID, source string, shards []Shard) {
	e, _ := t.at(uid, source)
	if e == nil {
		return
	}
	counts := map[int]int{}
	for _, s := range shards {
		counts[s.Leader] += open01(s)
	}
	for node, n := range counts {
		c, known := e.nodes[node]
		if !known {
			c = Capacity{Node: node, UID: uid, Source: source, Score: defaultScore}
		}
		c.Open = n
		e.nodes[node] = c
	}
	e.seeded = true
}

func open01(s Shard) int {
	if s.Closed {
		return 0
	}
	return 1
}

// pick takes the better of two candidates chosen at random.
func (t *nodeTable) pick(k key, usable func(int) bool, dice *rand.Rand) (target, bool) {
	e := t.entries[k]
	if e == nil {
		return target{}, false
	}
	nodes := e.candidates(usable)
	if len(nodes) == 0 {
		return target{}, false
	}
	best := nodes[0]
	if len(nodes) > 1 {
		i := dice.IntN(len(nodes))
		j := (i + 1 + dice.IntN(len(nodes)-1)) % len(nodes)
		best = nodes[i]
		if better(nodes[j], best) {
			best = nodes[j]
		}
	}
	return target{node: best.Node, uid: best.UID}, true
}

func better(a, b Capacity) bool {
	return cmp.Or(cmp.Compare(a.Score, b.Score), cmp.Compare(a.Open, b.Open)) > 0
}

// refused does nothing for a node that has no shard: that is the bug. Fix 1 writes down that it has none.
func (t *nodeTable) refused(to target, source string, why Reason) {
	if why == NoShards && t.build.ZeroOnNone {
		t.update(Capacity{Node: to.node, UID: to.uid, Source: source})
	}
}

func (t *nodeTable) list() []Route {
	var out []Route
	for _, e := range t.entries {
		for _, c := range e.nodes {
			out = append(out, Route{Capacity: c, Seeded: e.seeded})
		}
	}
	return sortRoutes(out)
}

func sortRoutes(rows []Route) []Route {
	slices.SortFunc(rows, func(a, b Route) int {
		return cmp.Or(cmp.Compare(a.UID.Index, b.UID.Index), cmp.Compare(a.Source, b.Source), cmp.Compare(a.Node, b.Node), a.UID.compare(b.UID))
	})
	return rows
}
