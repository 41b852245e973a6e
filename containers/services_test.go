package containers

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/docker/docker/api/types/network"

	"github.com/failrate/failrate/harness/service"
	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
)

// serviceBench is an executor with services around it.
type serviceBench struct {
	*service.Executor
	owner Owner
	dir   string
	next  int
}

// newServiceBench makes one whose variant is the test program in an image without a base. The image own, which a service
// may name, holds the program alone.
func newServiceBench(t *testing.T) *serviceBench {
	t.Helper()
	e := needEngine(t)
	tree, folder := t.TempDir(), t.TempDir()
	program := filepath.Join(tree, "served")
	c := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", program, "./testdata/served")
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOFLAGS=")
	if text, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	text, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	plant(t, tree, map[string]string{"owner": shared.owner.Session})
	plant(t, folder, map[string]string{"Dockerfile": "FROM scratch\nCOPY served owner /\nENTRYPOINT [\"/served\"]\nCMD [\"serve\", \"exit\"]\n", "served": string(text), "owner": shared.owner.Session})
	if err := os.Chmod(filepath.Join(folder, "served"), 0o755); err != nil {
		t.Fatal(err)
	}
	img, err := e.Prepare(t.Context(), PrepareOptions{Image: study.Image{Name: "scratch"}, Tree: tree, Agent: shared.agent, Owner: shared.owner})
	if err != nil {
		t.Fatal(err)
	}
	own, digest, err := e.ServiceImage(t.Context(), PrepareOptions{Image: study.Image{Build: folder}, Owner: shared.owner})
	if err != nil || digest == "" {
		t.Fatalf("%q, %v", digest, err)
	}
	images := map[string]Image{"a": img}
	x := newExecutor(t, Options{Engine: e, Images: images})
	h := NewServices(ServiceOptions{Engine: e, Images: images, Owner: x.options.Owner,
		Service: map[string]map[string]ServiceImage{"a": {"own": own, "pair": own}}})
	b := &serviceBench{Executor: service.New(x, h), owner: x.options.Owner, dir: t.TempDir()}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		if left := leftovers(x.options.Owner); slices.ContainsFunc(left, func(s string) bool { return !strings.HasPrefix(s, kindGate) }) {
			t.Errorf("left behind: %q", left)
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		if left := leftovers(x.options.Owner); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
		left, err := e.cli.NetworkList(context.Background(), network.ListOptions{Filters: ownedBy(x.options.Owner)})
		if err != nil || len(left) > 0 {
			t.Errorf("networks left: %v (%v)", left, err)
		}
	})
	return b
}

// inTree is a service of the subject's tree; ofImage the same of an image of its own.
func inTree(name string) study.Service {
	return study.Service{
		Name: name, Command: []string{"served", "serve", trial.Place("host") + ":" + trial.Place("port"), ":" + trial.Place("port.81")}, Ports: []int{80, 81},
		Ready: study.Ready{HTTP: "/name", Status: 200, Port: 80, Log: "^open$", Timeout: time.Minute}, Per: study.PerTrial, Death: study.DeathBroken,
	}
}

func ofImage(name string) study.Service {
	s := inTree(name)
	s.Image, s.Args, s.Command = study.Image{Name: "own"}, s.Command[1:], nil
	return s
}

// ask has the subject do what the words say.
func (b *serviceBench) ask(ctx context.Context, t *testing.T, words []string, services ...study.Service) (o trial.Observation, log string, said map[string]string) {
	t.Helper()
	b.next++
	base := filepath.Join(b.dir, string(rune('a'+b.next)))
	r := trial.Request{
		ID: "a/container/none#0001", Variant: "a", Command: append([]string{"./served", "ask"}, words...), Timeout: 2 * time.Minute,
		Services: services, Block: "main/0/1", Out: trial.Output{Log: base + ".log", Services: base + ".services"},
	}
	o = b.Execute(ctx, r)
	text, _ := os.ReadFile(r.Out.Log)
	said = map[string]string{}
	for _, s := range services {
		text, _ := os.ReadFile(filepath.Join(r.Out.Services, s.Name+".log"))
		said[s.Name] = string(text)
	}
	return o, string(text), said
}

func TestServicesOnAPrivateNetwork(t *testing.T) {
	t.Parallel()
	b := newServiceBench(t)
	node, own := trial.Place("node"), trial.Place("own")
	for range 2 { // the second time the network is used again
		o, log, said := b.ask(t.Context(), t, []string{
			"GET http://" + node + "/name", "GET http://" + own + "/name", "held node",
			"control cut/own", "down http://" + own + "/name", "GET http://" + node + "/name", "control heal/own", "GET http://" + own + "/name",
			"control pause/node", "down http://" + node + "/name", "control resume/node", "GET http://" + node + "/name",
			"control kill/node", "down http://" + node + "/name", "refused kill/node", "control start/node", "GET http://" + node + "/name",
			"control pause/own", "control stop/own", "control start/own", "GET http://" + own + "/name",
			"refused cut/nobody", "refused explode/own", "control pause/own", "control kill/own",
		}, inTree("node"), ofImage("own"))
		if o.Exit != 0 || o.Fault != "" || o.Death != "" {
			t.Fatalf("%+v\n%s\n%v", o, log, said)
		}
		for _, want := range []string{"200 node ", "200 own ", "409 service node does not run", "404 there is no service", `heard "two\n", <nil>`} {
			if !strings.Contains(log, want) {
				t.Errorf("no %q in\n%s", want, log)
			}
		}
		if want := "starting with 0.0.0.0:80 :81\nopen\n"; said["node"] != want+want {
			t.Errorf("node said %q", said["node"])
		}
		if !strings.Contains(said["own"], "asked to end\n") {
			t.Errorf("own said %q", said["own"])
		}
	}
}

func TestServiceFaultsInContainers(t *testing.T) {
	t.Parallel()
	b := newServiceBench(t)
	ends := ofImage("own")
	ends.Args = nil // what the image says: it ends
	late := inTree("node")
	late.Ready.HTTP, late.Ready.Timeout = "/nowhere", 5*time.Second
	missing := inTree("node")
	missing.Command = []string{"no-such-program"}
	for want, s := range map[string]study.Service{
		"service own ended before it was ready: exit status 3; its last output: starting with exit":                      ends,
		"service node was not ready after 5s: GET /nowhere: status 404; its last output: starting with 0.0.0.0:80":       late,
		"service node could not be started: start container: ":                                                           missing,
		"service node ended before the subject did: exit status 4; its last output: starting with 0.0.0.0:80 :81 | open": inTree("node"),
	} {
		o, log, _ := b.ask(t.Context(), t, []string{"POST http://" + trial.Place(s.Name) + "/die", "wait"}, s)
		if !strings.Contains(o.Fault, want) || o.Exit != -1 || o.Stopped {
			t.Errorf("%+v\n%s\nwant %q", o, log, want)
		}
	}
	s := inTree("node")
	s.Death = study.DeathFail
	if o, log, said := b.ask(t.Context(), t, []string{"POST http://" + trial.Place("node") + "/die", "wait"}, s); o.Fault != "" ||
		o.Death != "service node ended before the subject did: exit status 4" || !strings.Contains(said["node"], "told to die") {
		t.Errorf("%+v\n%s\n%v", o, log, said)
	}
}

func TestServicesOfABlockInContainers(t *testing.T) {
	t.Parallel()
	b := newServiceBench(t)
	node := inTree("node")
	node.Per = study.PerBlock
	var got []string
	for _, words := range [][]string{{}, {}, {"control kill/node"}, {}} {
		o, log, _ := b.ask(t.Context(), t, append([]string{"GET http://" + trial.Place("node") + "/name"}, words...), node)
		if o.Exit != 0 || o.Fault != "" {
			t.Fatalf("%+v\n%s", o, log)
		}
		for _, line := range strings.Split(log, "\n") {
			if strings.HasPrefix(line, "200 node ") {
				got = append(got, line)
			}
		}
	}
	if len(got) != 4 || got[0] != got[1] || got[1] != got[2] || got[2] == got[3] {
		t.Errorf("%q", got)
	}
	b.EndBlock(t.Context(), "main/0/1")
}

// TestAGateThatIsGone removes the gate between two trials and during one.
func TestAGateThatIsGone(t *testing.T) {
	t.Parallel()
	b := newServiceBench(t)
	end := func() {
		for _, c := range containersOf(t, shared.engine, b.owner, true) {
			if c.Labels[labelKind] == kindGate {
				if err := shared.engine.discard(context.Background(), c.ID); err != nil {
					t.Error(err)
				}
			}
		}
	}
	node := inTree("node")
	for range 2 {
		if o, log, _ := b.ask(t.Context(), t, []string{"control kill/node", "control start/node"}, node); o.Exit != 0 || o.Fault != "" {
			t.Errorf("%+v\n%s", o, log)
		}
		end()
	}
	during := node
	during.Ready.HTTP, during.Ready.Timeout = "/nowhere", 10*time.Second
	var stop sync.WaitGroup
	stop.Go(func() {
		awaitTrue(t, func() bool { return len(containersOf(t, shared.engine, b.owner, true)) > 1 })
		end()
	})
	if o, log, _ := b.ask(t.Context(), t, []string{"wait"}, during); !strings.Contains(o.Fault, "service node was not ready after 10s: the gate of the services' network ended") {
		t.Errorf("%+v\n%s", o, log)
	}
	stop.Wait()
	if o, log, _ := b.ask(t.Context(), t, []string{"control kill/node"}, node); o.Exit != 0 || o.Fault != "" {
		t.Errorf("%+v\n%s", o, log)
	}
}

// TestTheGateKnowsItsSubject sends actions as others on the network could.
func TestTheGateKnowsItsSubject(t *testing.T) {
	t.Parallel()
	b := newServiceBench(t)
	for word, want := range map[string]string{
		"foreign kill/node": "404 there is nothing here", "foreign x/kill/node": "404 there is nothing here",
		"foreign aaaaaaaaaaaaaaaaaaaaaaaaaa/kill/node": "404 there is nothing here", "looked-at kill/node": "405 actions are sent by POST",
	} {
		o, log, said := b.ask(t.Context(), t, []string{word}, inTree("node"))
		if o.Exit != 1 || o.Fault != "" || !strings.Contains(log, want) || strings.Count(said["node"], "open") != 1 {
			t.Errorf("%s: %+v\n%s\n%v", word, o, log, said)
		}
	}
}

func TestServicesAreCancelled(t *testing.T) {
	t.Parallel()
	b := newServiceBench(t)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	s := inTree("node")
	s.Ready.Log = "^never$"
	if o, log, _ := b.ask(ctx, t, []string{"wait"}, s); !o.Stopped || o.Fault != "" {
		t.Errorf("%+v\n%s", o, log)
	}
}
