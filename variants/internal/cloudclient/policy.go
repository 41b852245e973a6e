// Package cloudclient is the client side of a sharded search cluster, in the layers in which SolrJ has it: routing
// (which node gets the request), a load balancer (which node is next when one fails) and a retry of the whole request.
//
// It takes a request and gives its answer or the last failure, over a wire.Sender. It knows only what a client can
// know: how a send failed, and whether the socket accepted bytes of it. A Policy says when each layer tries again, and
// the named policies are the variants that the study compares.
package cloudclient

import (
	"slices"

	"github.com/failrate/failrate/variants/internal/wire"
)

// Policy is one way to build the client.
type Policy struct {
	Name        string
	Reads       bool       // the connection has a reader (HTTP/2, pooled); else HTTP/1.1 that reads after it wrote
	LeadersOnly bool       // updates go to the leader alone; else to any active node
	NextOn      wire.Fault // faults after which the load balancer gives an update to the next node
	RetryOn     wire.Fault // faults after which the whole request starts over with fresh cluster state
}

// unsent is what provably never left: no connection, or one that accepted no byte.
const unsent = wire.Refused | wire.Unsent

// policies are the variants. What one failed send means in Java decides the sets: with Jetty a broken pipe is a plain
// IOException, with blocking sockets it is a SocketException, which the retry of the whole request always took for a
// communication error. NextOn never holds Status: an answer is an answer.
var policies = []Policy{
	// The rule since SOLR-18401: repeat only what was not sent.
	{Name: "baseline", Reads: true, NextOn: unsent, RetryOn: unsent | wire.Socket},
	// The client after PR #4451, for which a dead pooled connection was no reason to try elsewhere. The pool here
	// dials again when it knows that its connection is dead, so a refused connection stands for that too.
	{Name: "never-retry-updates", Reads: true},
	{Name: "comm-error-unsent", Reads: true, NextOn: unsent, RetryOn: unsent},
	{Name: "comm-error-all", Reads: true, NextOn: unsent, RetryOn: wire.Anything},
	{Name: "lb-retries-all", Reads: true, NextOn: wire.Anything, RetryOn: unsent | wire.Socket},
	// The fix of SOLR-18530: the updates go where no cut is.
	{Name: "leaders-only", Reads: true, LeadersOnly: true, NextOn: unsent, RetryOn: unsent | wire.Socket},
	// The Apache client of 9.x: the balancer moves on only when refused; the layer above repeats after any socket
	// error and after NoHttpResponseException, whether or not the request was sent.
	{Name: "old-client", NextOn: wire.Refused, RetryOn: unsent | wire.Socket | wire.Silent},
	{Name: "old-client-no-retry", NextOn: wire.Refused},
}

// Names lists the named policies in the order of the study.
func Names() []string {
	var out []string
	for _, p := range policies {
		out = append(out, p.Name)
	}
	return out
}

// Named gives the policy with a name; the bool says whether there is one.
func Named(name string) (Policy, bool) {
	i := slices.IndexFunc(policies, func(p Policy) bool { return p.Name == name })
	if i < 0 {
		return Policy{}, false
	}
	return policies[i], true
}

// Sender makes the sender that the policy wants.
func (p Policy) Sender(m *wire.Meter) wire.Sender {
	if p.Reads {
		return wire.NewH2(m)
	}
	return wire.NewH1(m)
}
