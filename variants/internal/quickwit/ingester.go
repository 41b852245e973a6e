package quickwit

import (
	"maps"
	"slices"
	"time"
)

// Reason is why an ingester or a router did not persist.
type Reason string

// The reasons. The numbers in the protocol are the product's.
const (
	Persisted       Reason = ""
	NoShards        Reason = "no-shards-available" // 6; the ingester has no open shard, or its rate limiter refused
	NodeUnavailable Reason = "node-unavailable"    // 7
	WALFull         Reason = "wal-full"            // 4
	TimedOut        Reason = "timeout"             // 5
	ShardLimited    Reason = "shard-rate-limited"  // 8 with fix 2, and in the old routing
	ShardNotFound   Reason = "shard-not-found"     // old routing
	ShardClosed     Reason = "shard-closed"        // old routing
	NoRoute         Reason = "no-route"            // the router found no node to send to
	NoIngesters     Reason = "no-ingesters"        // the control plane found none
	IndexNotFound   Reason = "index-not-found"
)

// Shard is what the control plane and the routers know of one.
type Shard struct {
	ID     string // unique in the cluster
	UID    IndexUID
	Source string
	Leader int
	Closed bool
}

// localShard is a shard on its ingester.
type localShard struct {
	Shard
	advertisable bool // something was persisted or an indexer reads from it, so the broadcast may speak of it
	limit        bucket
}

// bucket is a token bucket, in bytes.
type bucket struct {
	tokens float64
	at     time.Duration
}

func (b *bucket) fill(now time.Duration, perSecond, burst float64) {
	b.tokens = min(burst, b.tokens+perSecond*(now-b.at).Seconds())
	b.at = now
}

// Status is what a node can do.
type Status int

// What a node can do.
const (
	Ready    Status = iota
	Starting        // in the cluster, and not to be sent anything
	Gone            // not in the cluster: requests that are under way to it fail
	Hung            // requests to it are never answered, which nobody knows beforehand
)

// ingester holds shards.
type ingester struct {
	c      *Cluster
	node   int
	status Status
	shards map[string]*localShard
	used   float64 // bytes of the write-ahead log that are not published
	last   float64 // remaining share at the last broadcast
}

// answer is an ingester's answer to a persist request.
type answer struct {
	reason Reason
	limits bool // the rate limiter refused
	routes []Capacity
	closed []string // shards that are closed
}

// persist writes a batch to the open shard of exactly that incarnation with the most permits, or to the shard named.
func (g *ingester) persist(to target, source string, b *batch) answer {
	s, why := g.find(to, source)
	a := answer{reason: why}
	switch {
	case why == NoShards:
		g.c.log(Event{Level: "WARN", Message: "no open shard found on ingester", Node: g.node, UID: to.uid})
	case why != Persisted:
	case g.used+float64(b.bytes) > g.c.cfg.WALBytes:
		a.reason = WALFull
	case s.limit.tokens < float64(b.bytes):
		a.reason, a.limits = g.limited(), true
		g.c.log(Event{Level: "DEBUG", Message: "failed to persist records to shard: rate limited", Node: g.node, UID: to.uid})
	default:
		s.limit.tokens -= float64(b.bytes)
		s.advertisable = true
		g.used += float64(b.bytes)
		g.c.persisted(g, to.uid, b)
	}
	a.routes, a.closed = g.snapshot()
	return a
}

func (g *ingester) limited() Reason {
	if g.c.cfg.Build.PerShard || g.c.cfg.Build.TellLimited {
		return ShardLimited
	}
	return NoShards
}

func (g *ingester) find(to target, source string) (*localShard, Reason) {
	if to.shard != "" {
		s := g.shards[to.shard]
		switch {
		case s == nil:
			return nil, ShardNotFound
		case s.Closed:
			return nil, ShardClosed
		}
		g.refill(s)
		return s, Persisted
	}
	var best *localShard
	for _, id := range slices.Sorted(maps.Keys(g.shards)) {
		s := g.shards[id]
		if s.Closed || s.UID != to.uid || s.Source != source {
			continue
		}
		g.refill(s)
		if best == nil || s.limit.tokens > best.limit.tokens {
			best = s
		}
	}
	if best == nil {
		return nil, NoShards
	}
	return best, Persisted
}

func (g *ingester) refill(s *localShard) {
	s.limit.fill(g.c.clock.Now(), g.c.cfg.ShardRate, g.c.cfg.ShardBurst)
}

// snapshot counts the open shards of every source, of advertisable shards only; what was deleted is not in it.
func (g *ingester) snapshot() (routes []Capacity, closed []string) {
	type of struct {
		uid    IndexUID
		source string
	}
	counts := map[of]int{}
	for _, id := range slices.Sorted(maps.Keys(g.shards)) {
		s := g.shards[id]
		if !s.advertisable {
			continue
		}
		counts[of{s.UID, s.Source}] += open01(s.Shard)
		if s.Closed {
			closed = append(closed, id)
		}
	}
	for k, n := range counts {
		routes = append(routes, Capacity{Node: g.node, UID: k.uid, Source: k.source, Score: g.score(), Open: n})
	}
	slices.SortFunc(routes, func(a, b Capacity) int { return a.UID.compare(b.UID) })
	return routes, closed
}

func (g *ingester) remaining() float64 { return max(0, 1-g.used/g.c.cfg.WALBytes) }

func (g *ingester) score() int { return score(g.remaining(), g.last-g.remaining()) }

// score is a node's capacity from 0 to 10: 8 for what remains of its log, 2 for how slowly that shrinks.
func score(remaining, drain float64) int {
	if remaining <= 0.05 {
		return 0
	}
	drain = min(max(drain, 0), 0.10)
	return int(8*remaining + 2*(1-drain/0.10))
}

// retain deletes every shard that is not listed.
func (g *ingester) retain(keep map[string]bool) {
	for _, id := range slices.Sorted(maps.Keys(g.shards)) {
		if s := g.shards[id]; !keep[id] {
			delete(g.shards, id)
			g.c.log(Event{Level: "INFO", Message: "removing queues", Node: g.node, UID: s.UID})
		}
	}
}
