package main

import (
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"github.com/failrate/failrate/variants/internal/cloudclient"
	"github.com/failrate/failrate/variants/internal/rounds"
)

// newDice makes the source of the shuffles. Trials of one block have the same seed, so the trial's id goes in as well.
// Outside failrate and without --seed it is a random one.
func newDice(flagSeed string, place rounds.Place) *rand.Rand {
	seed := flagSeed
	if seed == "" {
		seed = place.Seed
	}
	if seed == "" && place.Trial == "" {
		return rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	}
	return rand.New(rand.NewPCG(hash("seed "+seed), hash("trial "+place.Trial)))
}

func hash(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}

// order gives the client's order of nodes.
func order(route string, dice *rand.Rand) func([]cloudclient.Endpoint) {
	switch route {
	case routeReplica, routeLeader:
		return func(nodes []cloudclient.Endpoint) {
			slices.SortStableFunc(nodes, func(a, b cloudclient.Endpoint) int {
				return rank(a, route) - rank(b, route)
			})
		}
	}
	return func(nodes []cloudclient.Endpoint) {
		dice.Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
	}
}

func rank(e cloudclient.Endpoint, route string) int {
	if e.Leader == (route == routeLeader) {
		return 0
	}
	return 1
}
