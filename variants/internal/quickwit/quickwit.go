// Package quickwit models how a Quickwit cluster routes documents to shards: ingest routers with their routing tables,
// ingesters with their shards, the control plane, and the broadcast that tells the routers every few seconds what the
// ingesters have.
//
// It takes a Config and a Clock, and requests with a continuation each; it gives the answers that a client would get,
// each with the attempts that led to it. It knows nothing of sockets, HTTP or outcomes, and it does not index: a
// document counts as searchable when it would have been published. Everything happens on the clock's own goroutine, so
// the same seed and the same requests give the same events, and thousands of them cost no waiting under a Virtual clock.
//
// What is not modelled: replication, availability zones (nodes have none), rebalancing, metrics, disk.
package quickwit

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"time"
)

// Source is the source that documents sent to the ingest API come from.
const Source = "_ingest-source"

// The product's own constants.
const (
	maxAttempts    = 5                // of a persist, one after the other without a pause
	persistTimeout = 6 * time.Second  // for one persist request
	ingestTimeout  = 35 * time.Second // for the client's request
	ackTimeout     = 3 * time.Second  // for a request to an ingester that nobody waits for
	defaultScore   = 5                // of a node that only the control plane spoke of
)

// IndexUID is one incarnation of an index: a later one of the same name is greater.
type IndexUID struct {
	Index       string
	Incarnation string // a ULID: 26 characters that sort as time does
}

// String is the form that Quickwit prints: name, colon, ULID.
func (u IndexUID) String() string { return u.Index + ":" + u.Incarnation }

// compare orders incarnations of one index.
func (u IndexUID) compare(v IndexUID) int { return strings.Compare(u.Incarnation, v.Incarnation) }

// key is what a routing table is looked up by: the incarnation is not part of it.
type key struct{ index, source string }

func (u IndexUID) key(source string) key { return key{u.Index, source} }

// crockford is the alphabet of a ULID.
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// ulid writes 48 bits of milliseconds and 80 random ones.
func ulid(ms uint64, dice *rand.Rand) string {
	var b [26]byte
	for i := 9; i >= 0; i-- {
		b[i], ms = crockford[ms%32], ms/32
	}
	for i := 10; i < len(b); i++ {
		b[i] = crockford[dice.IntN(32)]
	}
	return string(b[:])
}

// Dice makes the random source of a cluster or of a trial from any words that together name it.
func Dice(words ...string) *rand.Rand {
	sum := sha256.Sum256([]byte(strings.Join(words, "\x00")))
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:8]), binary.LittleEndian.Uint64(sum[8:16])))
}
