package shard

import (
	"fmt"
	"maps"
	"slices"
	"sync"
)

// Update is one document that was added, with the version that the leader gave it: 1, 2, 3 and so on.
type Update struct {
	ID      string `json:"id"`
	Text    string `json:"text"`
	Version int64  `json:"version,omitempty"` // 0 before the leader saw it
}

// index is a node's documents, the log of its last updates, and what its searcher sees.
type index struct {
	keep int // updates that the log holds (numRecordsToKeep)

	mu       sync.Mutex
	docs     map[string]Update
	log      []Update // the last updates, oldest first, at most keep
	version  int64    // of the newest update
	applied  map[string]int
	searcher map[string]Update // as of the last soft commit
}

func newIndex(keep int) *index {
	return &index{keep: keep, docs: map[string]Update{}, applied: map[string]int{}}
}

// add applies an update; without a version it gets the next one. It returns the update as applied.
func (x *index) add(u Update) Update {
	x.mu.Lock()
	defer x.mu.Unlock()
	if u.Version == 0 {
		u.Version = x.version + 1
	}
	x.docs[u.ID] = u
	x.version = max(x.version, u.Version)
	x.applied[u.ID]++
	x.log = append(x.log, u)
	if extra := len(x.log) - x.keep; extra > 0 {
		x.log = slices.Delete(x.log, 0, extra)
	}
	return u
}

// openSearcher is a soft commit: from now on queries see everything that was added until now.
func (x *index) openSearcher() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.searcher = maps.Clone(x.docs)
}

// visible lists the ids that queries see, sorted.
func (x *index) visible() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Sorted(maps.Keys(x.searcher))
}

// recent is what a follower at a version needs to catch up by updates alone.
type recent struct {
	Version  int64    `json:"version"`  // the leader's
	Complete bool     `json:"complete"` // Updates holds everything after the follower's version
	Updates  []Update `json:"updates"`
}

func (x *index) after(version int64) recent {
	x.mu.Lock()
	defer x.mu.Unlock()
	r := recent{Version: x.version, Updates: []Update{}}
	for _, u := range x.log {
		if u.Version > version {
			r.Updates = append(r.Updates, u)
		}
	}
	r.Complete = int64(len(r.Updates)) == x.version-version
	return r
}

// whole is a full copy of an index.
type whole struct {
	Version int64    `json:"version"`
	Docs    []Update `json:"docs"` // by id
}

func (x *index) copy() whole {
	x.mu.Lock()
	defer x.mu.Unlock()
	w := whole{Version: x.version, Docs: []Update{}}
	for _, id := range slices.Sorted(maps.Keys(x.docs)) {
		w.Docs = append(w.Docs, x.docs[id])
	}
	return w
}

// replace drops everything, also what a searcher still sees of uncommitted documents, and takes over the copy.
func (x *index) replace(w whole) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.docs, x.log, x.searcher = map[string]Update{}, nil, nil
	for _, u := range w.Docs {
		x.docs[u.ID] = u
	}
	x.version = w.Version
}

// contents is every document with its version, sorted: two nodes are equal when their contents are.
func (x *index) contents() []string {
	var out []string
	for _, u := range x.copy().Docs {
		out = append(out, fmt.Sprintf("%s@%d=%s", u.ID, u.Version, u.Text))
	}
	return out
}
