package cloudclient

import (
	"context"
	"errors"
	"net/http"

	"github.com/failrate/failrate/variants/internal/wire"
)

// MaxRetries is how often a whole request is repeated with fresh cluster state.
const MaxRetries = 5

// Endpoint is an active node as the cluster's state lists it.
type Endpoint struct {
	Addr   string
	Leader bool
}

// Cloud routes requests. It serves one caller at a time.
type Cloud struct {
	Policy   Policy
	Balancer Balancer               // its Sender is set by the caller, its NextOn by the Policy
	State    func() []Endpoint      // the active nodes as of now
	Order    func(nodes []Endpoint) // puts the nodes into the order in which they are tried, such as a shuffle
	Retries  int                    // how often a whole request was repeated

	cached []Endpoint
}

// Update sends an update: to the leader alone, or to all active nodes in turn, as the policy says.
func (c *Cloud) Update(ctx context.Context, path string, body []byte) error {
	_, err := c.request(ctx, wire.Request{Path: path, Body: body}, true)
	return err
}

// Query asks any active node.
func (c *Cloud) Query(ctx context.Context, path string) ([]byte, error) {
	a, err := c.request(ctx, wire.Request{Method: http.MethodGet, Path: path}, false)
	return a.Body, err
}

// request repeats the whole request while the policy takes the failure for a communication error.
func (c *Cloud) request(ctx context.Context, r wire.Request, update bool) (wire.Answer, error) {
	c.Balancer.NextOn = c.Policy.NextOn
	for try := 0; ; try++ {
		a, err := c.Balancer.Send(ctx, c.route(update), r, update)
		if err == nil || try == MaxRetries || ctx.Err() != nil || !c.startsOver(err, update) {
			return a, err
		}
		c.cached = nil
		c.Retries++
	}
}

// route gives the addresses to try.
func (c *Cloud) route(update bool) []string {
	if c.cached == nil {
		c.cached = c.State()
	}
	var nodes []Endpoint
	for _, e := range c.cached {
		if !update || !c.Policy.LeadersOnly || e.Leader {
			nodes = append(nodes, e)
		}
	}
	if c.Order != nil {
		c.Order(nodes)
	}
	var out []string
	for _, e := range nodes {
		out = append(out, e.Addr)
	}
	return out
}

// startsOver is the rule of the upper layer. It does not look at what kind of request it is: a set that holds faults of
// sent requests repeats updates too. A leader that answers 503 to an update may be the leader no more.
func (c *Cloud) startsOver(err error, update bool) bool {
	f, ok := errors.AsType[*wire.Failure](err)
	if !ok {
		return false
	}
	if f.Fault == wire.Status {
		return update && c.Policy.LeadersOnly && f.Code == http.StatusServiceUnavailable
	}
	return f.Fault&c.Policy.RetryOn != 0
}
