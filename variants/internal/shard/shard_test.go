package shard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/failrate/failrate/variants/internal/socketproxy"
	"github.com/failrate/failrate/variants/internal/wire"
)

const keep = 2

// pair is a leader, and a replica behind a proxy.
type pair struct {
	state           *State
	leader, replica *Node
	proxy           *socketproxy.Proxy
	client          wire.Sender
	ctx             context.Context
}

func newPair(t *testing.T) *pair {
	t.Helper()
	p := &pair{state: &State{}, client: wire.NewH2(&wire.Meter{})}
	start := func() *Node {
		n, err := Start(p.state, wire.NewH2(&wire.Meter{}), keep)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { n.Close() })
		return n
	}
	p.leader, p.replica = start(), start()
	var err error
	if p.proxy, err = socketproxy.Open(p.replica.Listen()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.client.Close(); p.proxy.Close() })
	p.leader.Join(p.leader.Listen(), true)
	p.replica.Join(p.proxy.Addr(), false)
	var cancel context.CancelFunc
	p.ctx, cancel = context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return p
}

// post sends a request as a client does.
func (p *pair) post(n *Node, path string, body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	_, err = p.client.Send(p.ctx, wire.Request{Addr: n.Addr(), Path: path, Body: text})
	return err
}

func (p *pair) add(t *testing.T, n *Node, ids ...int) {
	t.Helper()
	for _, id := range ids {
		if err := p.post(n, "/update", Update{ID: fmt.Sprint(id), Text: "text"}); err != nil {
			t.Fatalf("add %d: %v", id, err)
		}
	}
}

func (p *pair) equal(t *testing.T) {
	t.Helper()
	if l, r := p.leader.Contents(), p.replica.Contents(); !slices.Equal(l, r) {
		t.Errorf("the leader holds %q and the replica %q", l, r)
	}
}

func TestAnUpdateReachesBothFromEitherNode(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	p.add(t, p.leader, 0)
	p.add(t, p.replica, 1)
	p.add(t, p.leader, 1)
	want := []string{"0@1=text", "1@3=text"}
	if got := p.leader.Contents(); !slices.Equal(got, want) {
		t.Errorf("the leader holds %q, want %q", got, want)
	}
	p.equal(t)
	if p.leader.Applied("0") != 1 || p.leader.Applied("1") != 2 || p.leader.Applied("9") != 0 {
		t.Errorf("applied %d, %d, %d times", p.leader.Applied("0"), p.leader.Applied("1"), p.leader.Applied("9"))
	}
}

func TestASoftCommitMakesUpdatesVisible(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	p.add(t, p.leader, 0, 1)
	if got := p.replica.index.visible(); len(got) != 0 {
		t.Errorf("visible before the commit: %q", got)
	}
	if err := p.post(p.replica, "/commit", nil); err != nil {
		t.Fatal(err)
	}
	p.add(t, p.leader, 2)
	for _, n := range []*Node{p.leader, p.replica} {
		if got, want := n.index.visible(), []string{"0", "1"}; !slices.Equal(got, want) {
			t.Errorf("visible %q, want %q", got, want)
		}
	}
}

func TestCatchUpByWhatWasMissed(t *testing.T) {
	t.Parallel()
	for missed, want := range map[int]Way{0: InSync, 1: PeerSync, keep: PeerSync, keep + 1: FullCopy, keep + 5: FullCopy} {
		t.Run(fmt.Sprint(missed), func(t *testing.T) {
			t.Parallel()
			p := newPair(t)
			p.add(t, p.replica, 0, 1, 2)
			if err := p.post(p.leader, "/commit", nil); err != nil {
				t.Fatal(err)
			}
			if _, err := p.proxy.Cut(socketproxy.FIN); err != nil {
				t.Fatal(err)
			}
			for i := range missed {
				p.add(t, p.leader, 3+i)
			}
			if me, _ := p.state.Find(p.replica.Addr()); me.Behind != (missed > 0) {
				t.Errorf("behind: %t after %d updates", me.Behind, missed)
			}
			if err := p.proxy.Reopen(); err != nil {
				t.Fatal(err)
			}
			way, n, err := p.replica.CatchUp(p.ctx)
			if way != want || n != int64(missed) || err != nil {
				t.Errorf("came back by %q, %d missed, %v; want %q, %d", way, n, err, want, missed)
			}
			p.equal(t)
			if me, _ := p.state.Find(p.replica.Addr()); me.Status != Active || me.Behind {
				t.Errorf("the replica is %+v", me)
			}
			if got := p.replica.index.visible(); len(got) != 3+missed {
				t.Errorf("queries see %q", got)
			}
			if missed > 0 { // else the leader has yet to find that its connection is dead
				p.add(t, p.leader, 99)
				p.equal(t)
			}
		})
	}
}

func TestAFullCopyDropsWhatOnlyTheReplicaHad(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	p.add(t, p.leader, 0)
	p.replica.index.add(Update{ID: "stray", Version: 1})
	p.replica.index.openSearcher()
	p.proxy.Cut(socketproxy.FIN)
	p.add(t, p.leader, 1, 2, 3)
	if err := p.proxy.Reopen(); err != nil {
		t.Fatal(err)
	}
	if way, _, err := p.replica.CatchUp(p.ctx); way != FullCopy || err != nil {
		t.Fatalf("%q, %v", way, err)
	}
	p.equal(t)
	if got := p.replica.index.visible(); slices.Contains(got, "stray") {
		t.Errorf("queries still see it: %q", got)
	}
}

func TestACopyLeavesNothingForAnOldSearcher(t *testing.T) {
	t.Parallel()
	x := newIndex(keep)
	x.add(Update{ID: "old"})
	x.openSearcher()
	x.replace(whole{Version: 7, Docs: []Update{{ID: "new", Version: 7}}})
	if got := x.visible(); len(got) != 0 {
		t.Errorf("queries see %q before a searcher was opened on the copy", got)
	}
	if got := x.add(Update{ID: "next"}); got.Version != 8 {
		t.Errorf("the next version is %d, want 8", got.Version)
	}
}

func TestCatchUpNeedsAReplicaThatCanBeReached(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	p.add(t, p.leader, 0)
	p.proxy.Cut(socketproxy.FIN)
	p.add(t, p.leader, 1)
	if way, _, err := p.replica.CatchUp(p.ctx); err == nil {
		t.Errorf("came back by %q behind a proxy that is cut", way)
	}
	if me, _ := p.state.Find(p.replica.Addr()); me.Status == Active || !me.Behind {
		t.Errorf("the replica is %+v", me)
	}
}

func TestAReplicaThatIsBehindGetsNoUpdates(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	p.proxy.Cut(socketproxy.FIN)
	p.add(t, p.leader, 0)
	if err := p.proxy.Reopen(); err != nil {
		t.Fatal(err)
	}
	p.add(t, p.leader, 1) // would leave a gap
	if got := p.replica.Contents(); len(got) != 0 {
		t.Errorf("the replica holds %q", got)
	}
}

func TestBeforeAnswerIsCalledOnceForAClient(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	calls := 0
	p.replica.BeforeAnswer(func() {
		calls++
		if got := p.leader.Applied("1"); got != 1 {
			t.Errorf("applied %d times before the answer", got)
		}
	})
	p.add(t, p.leader, 0) // reaches the replica from the leader
	p.add(t, p.replica, 1, 2)
	if calls != 1 {
		t.Errorf("%d calls, want 1", calls)
	}
}

func TestABadRequestIsRefused(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	for path, body := range map[string]any{"/update": map[string]string{"id": ""}, "/updates/x": nil, "/prepare?member=nobody": nil} {
		err := p.post(p.leader, path, body)
		if f, ok := errors.AsType[*wire.Failure](err); !ok || f.Fault != wire.Status {
			t.Errorf("%s: %v, want an error status", path, err)
		}
	}
	if _, err := p.state.Find("nobody"); err == nil {
		t.Error("found a member that never joined")
	}
	if (&State{}).Leader() != "" {
		t.Error("an empty cluster has a leader")
	}
}
