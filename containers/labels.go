package containers

import (
	"crypto/rand"
	"maps"
	"strings"
)

// The labels of everything that the product makes in an engine. A later start finds by them what a killed one left.
const (
	labelPrefix   = "dev.failrate."
	labelManaged  = labelPrefix + "managed"   // "true"
	labelSession  = labelPrefix + "session"   // the session that made it
	labelPID      = labelPrefix + "pid"       // of the harness
	labelPIDStart = labelPrefix + "pid-start" // when the harness started, as the host counts it
	labelHost     = labelPrefix + "host"      // name of the harness's host
	labelBootID   = labelPrefix + "boot-id"   // of that host's running system
	labelDeadline = labelPrefix + "deadline"  // RFC 3339 in UTC: nothing of it is needed later than this
	labelKind     = labelPrefix + "kind"      // one of the kinds below
	labelTrial    = labelPrefix + "trial"     // the attempt's id
	labelKey      = labelPrefix + "key"       // of a prepared image: the digest of what it was made from
	labelBase     = labelPrefix + "base"      // of a prepared image: its base image's name
)

// The kinds of what bears the labels.
const (
	kindTrial  = "trial"  // runs one attempt
	kindWarm   = "warm"   // runs one attempt after another
	kindHolder = "holder" // holds a network namespace
	kindSetup  = "setup"  // runs set-up commands
	kindImage  = "image"

	kindService = "service" // is a service of trials
	kindGate    = "gate"    // is the gate of a private network
	kindNetwork = "network" // is a private network
)

// containerKinds are the kinds of containers. One that somebody makes by hand from a prepared image inherits the
// labels of the image, kind included, and is no business of ours.
var containerKinds = []string{kindTrial, kindWarm, kindHolder, kindSetup, kindService, kindGate}

// newName gives a name that no container has. By it a container is found whose creation was not answered.
func newName(kind string) string {
	return "failrate-" + kind + "-" + strings.ToLower(rand.Text()[:16])
}

// labelled gives the session's labels and those of the pairs.
func labelled(session map[string]string, kind string, pairs map[string]string) map[string]string {
	out := maps.Clone(session)
	if out == nil {
		out = map[string]string{}
	}
	out[labelManaged], out[labelKind] = "true", kind
	maps.Copy(out, pairs)
	return out
}
