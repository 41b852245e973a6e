package containers

import (
	"strings"
	"testing"

	"github.com/failrate/failrate/harness/study"
)

func TestBridge(t *testing.T) {
	each(t, Options{Network: study.NetworkBridge}, func(t *testing.T, x *Executor) {
		r := attemptOf(t, "./hostile", "interfaces")
		if o := x.Execute(t.Context(), r); o.Exit != 0 || !strings.Contains(readFile(t, r.Out.Log), "eth0\n") {
			t.Errorf("%+v, log %q", o, readFile(t, r.Out.Log))
		}
	})
}

func TestNetworkNamespaces(t *testing.T) {
	t.Parallel()
	e := needEngine(t)
	x := newExecutor(t, Options{Engine: e, Images: hostile(t, e)})
	holders := func() int {
		x.networks.mu.Lock()
		defer x.networks.mu.Unlock()
		return len(x.networks.idle)
	}
	for range 2 {
		if o := x.Execute(t.Context(), attemptOf(t, "./hostile", "print=silent")); o.Exit != 0 || o.Fault != "" {
			t.Fatalf("%+v", o)
		}
		if holders() != 1 || x.networks.own {
			t.Fatalf("%d holders, own %t after trials without packets", holders(), x.networks.own)
		}
	}
	r := attemptOf(t, "./hostile", "send")
	if o := x.Execute(t.Context(), r); o.Exit != 0 || readFile(t, r.Out.Log) != "over loopback\n" {
		t.Fatalf("%+v", o)
	}
	if holders() != 0 || !x.networks.own {
		t.Errorf("%d holders, own %t after a trial that sent", holders(), x.networks.own)
	}
	if o := x.Execute(t.Context(), attemptOf(t, "./hostile", "send")); o.Exit != 0 || o.Fault != "" {
		t.Errorf("in a namespace of its own: %+v", o)
	}
	if holders() != 0 {
		t.Error("a holder is there again")
	}
}
