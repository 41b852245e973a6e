package quickwit

// Build is a version of the product, as far as routing goes.
type Build struct {
	Name        string
	PerShard    bool // routes to shards and not to nodes, and forgets a shard that was not found
	CompareUIDs bool // orders incarnations, has the control plane asked once per entry, and publishes zero for removed sources
	ZeroOnNone  bool // fix 1: a node that had no shard counts as having none
	TellLimited bool // fix 2: a refusal by the rate limiter has a reason of its own (ShardRateLimited = 8)
	SyncDelete  bool // the control plane answers a deletion when the ingesters have acknowledged it
}

// builds are the known ones, oldest first.
var builds = []Build{
	{Name: "good-92a526b", PerShard: true},
	{Name: "node-routing"}, // 2bcade6
	{Name: "uid-compare", CompareUIDs: true},
	{Name: "fix1", CompareUIDs: true, ZeroOnNone: true},
	{Name: "fix1-fix2", CompareUIDs: true, ZeroOnNone: true, TellLimited: true},
	{Name: "sync-delete", CompareUIDs: true, SyncDelete: true},
	{Name: "fix1-sync-delete", CompareUIDs: true, ZeroOnNone: true, SyncDelete: true},
}

// BuildNamed finds a build.
func BuildNamed(name string) (Build, bool) {
	for _, b := range builds {
		if b.Name == name {
			return b, true
		}
	}
	return Build{}, false
}

// BuildNames lists the builds, oldest first.
func BuildNames() []string {
	var names []string
	for _, b := range builds {
		names = append(names, b.Name)
	}
	return names
}
