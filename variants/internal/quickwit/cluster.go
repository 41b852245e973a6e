package quickwit

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// Config says what a cluster is. A zero duration or size takes the product's own.
type Config struct {
	Build     Build
	Nodes     int           // 0 means 1; each is router and ingester, the first the control plane as well
	Tick      time.Duration // between two broadcasts of a node; 0 means 5 s
	Phase     time.Duration // of the first node's first broadcast, from the start; negative means anywhere in a tick
	Cooldown  time.Duration // between two rebuilds of the indexing plan; 0 means 2 s, negative none
	Gossip    time.Duration // at most, for a broadcast to reach another node; 0 means 1 s
	RPC       time.Duration // one way between two parts of the cluster; 0 means 1 ms
	Commit    time.Duration // until documents are published, unless the index says otherwise; 0 means 60 s
	Force     time.Duration // the same when the client forces it; 0 means 500 ms
	Boot      time.Duration // from a node's start until it takes requests; 0 means it does at once
	MinShards int           // opened on demand; 0 means 1

	WALBytes   float64 // of a node's write-ahead log; 0 means 2 GiB
	ShardRate  float64 // bytes per second of a shard; 0 means 5 MiB
	ShardBurst float64 // bytes at once; 0 means 50 MiB

	RetainLost  bool          // requests to drop shards do not arrive
	RetainDelay time.Duration // they arrive that much later

	Log func(Event) // nil means nobody listens
}

func (c Config) withDefaults() Config {
	for _, d := range []struct {
		at   *time.Duration
		then time.Duration
	}{
		{&c.Tick, 5 * time.Second}, {&c.Cooldown, 2 * time.Second}, {&c.Gossip, time.Second}, {&c.RPC, time.Millisecond},
		{&c.Commit, time.Minute}, {&c.Force, 500 * time.Millisecond},
	} {
		if *d.at == 0 {
			*d.at = d.then
		}
	}
	for _, f := range []struct {
		at   *float64
		then float64
	}{{&c.WALBytes, 2 << 30}, {&c.ShardRate, 5 << 20}, {&c.ShardBurst, 50 << 20}} {
		if *f.at == 0 {
			*f.at = f.then
		}
	}
	c.Nodes = max(1, c.Nodes)
	return c
}

// Event is a line of a node's log.
type Event struct {
	At      time.Duration
	Level   string
	Message string
	Node    int // -1 for the control plane
	UID     IndexUID
}

// Error is what a client is told.
type Error struct {
	Code int // HTTP status
	Text string
}

// Error gives the text.
func (e *Error) Error() string { return e.Text }

// Attempt is one try to persist.
type Attempt struct {
	Asked   bool // the control plane was asked first
	Node    int  // -1 when nothing was sent
	UID     IndexUID
	Reason  Reason
	Limited bool // the rate limiter refused, whatever the reason says
}

// Ingest is how an ingest request ended.
type Ingest struct {
	Err      error // nil or an *Error
	Attempts []Attempt
}

// Cluster is the whole. All its methods belong on its clock's goroutine.
type Cluster struct {
	cfg   Config
	clock Clock
	dice  *rand.Rand
	epoch int // restarts: what was under way before one is forgotten

	control    *control
	ingesters  []*ingester
	routers    []*router
	broadcasts []*broadcaster
	history    map[IndexUID]*History
}

// History is what became of one incarnation. A time is negative when it did not come.
type History struct {
	Persisted time.Duration // first
	Deleted   time.Duration // in the metastore
	Retained  time.Duration // the request to drop its shards arrived
	Ticked    time.Duration // the last broadcast that spoke of its shards
}

// NewCluster starts a cluster.
func NewCluster(cfg Config, clock Clock, dice *rand.Rand) *Cluster {
	c := &Cluster{cfg: cfg.withDefaults(), clock: clock, dice: dice, history: map[IndexUID]*History{}}
	c.control = &control{c: c, indexes: map[string]*index{}, shards: map[string]Shard{}, rebuilt: -1}
	for n := range c.cfg.Nodes {
		c.ingesters = append(c.ingesters, &ingester{c: c, node: n, shards: map[string]*localShard{}, last: 1})
	}
	c.startVolatile()
	return c
}

// startVolatile makes what a restart loses: routing tables and what was gossiped.
func (c *Cluster) startVolatile() {
	c.routers, c.broadcasts = nil, nil
	for n := range c.cfg.Nodes {
		r := &router{c: c, node: n, waiting: map[key][]func(IndexUID, []Shard, Reason){}, closed: map[string]bool{}}
		if c.cfg.Build.PerShard {
			r.table = &shardTable{entries: map[key]*shardEntry{}}
		} else {
			r.table = &nodeTable{build: c.cfg.Build, entries: map[key]*entry{}}
		}
		c.routers = append(c.routers, r)
		b := &broadcaster{c: c, node: n, values: map[told]Capacity{}, arrive: map[int]time.Duration{}, seen: map[IndexUID]time.Duration{}}
		c.broadcasts = append(c.broadcasts, b)
		phase := c.cfg.Phase
		if phase < 0 || n > 0 {
			phase = c.chance(c.cfg.Tick)
		}
		c.later(phase, b.tick)
		c.boot(n)
	}
}

func (c *Cluster) boot(node int) {
	if c.cfg.Boot == 0 {
		c.Set(node, Ready)
		return
	}
	c.Set(node, Starting)
	c.later(c.cfg.Boot, func() { c.Set(node, Ready) })
}

// Set changes what a node can do.
func (c *Cluster) Set(node int, s Status) { c.ingesters[node].status = s }

// Status is what a node can do.
func (c *Cluster) Status(node int) Status { return c.ingesters[node].status }

// Restart ends every node and starts it again. Shards are replayed from the log, closed, and advertised as such; the
// metastore stays.
func (c *Cluster) Restart() {
	c.epoch++
	for _, g := range c.ingesters {
		for _, s := range g.shards {
			s.Closed, s.advertisable = true, true
		}
	}
	for id, s := range c.control.shards {
		s.Closed = true
		c.control.shards[id] = s
	}
	c.control.rebuilt, c.control.planned, c.control.onRebuilt = -1, false, nil
	c.startVolatile()
}

// later runs f on the clock, unless the cluster is restarted before.
func (c *Cluster) later(d time.Duration, f func()) {
	epoch := c.epoch
	c.clock.After(d, func() {
		if c.epoch == epoch {
			f()
		}
	})
}

// chance is a time from 0 up to d, evenly.
func (c *Cluster) chance(d time.Duration) time.Duration {
	return time.Duration(c.dice.Float64() * float64(d))
}

func (c *Cluster) usable(node int) bool {
	s := c.ingesters[node].status
	return s == Ready || s == Hung
}

func (c *Cluster) log(e Event) {
	if c.cfg.Log != nil {
		e.At = c.clock.Now()
		c.cfg.Log(e)
	}
}

// NodeName is how a node is called.
func NodeName(n int) string {
	if n < 0 {
		return "control-plane"
	}
	return fmt.Sprintf("node-%d", n+1)
}
