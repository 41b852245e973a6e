package containers

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/network"

	"github.com/failrate/failrate/containers/agent"
	"github.com/failrate/failrate/harness/steps"
	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
)

// stepsImage holds the agent that runs steps, and a tree of one file.
func stepsImage(t *testing.T, e *Engine) map[string]Image {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "doc.json"), []byte(shared.owner.Session), 0o644); err != nil {
		t.Fatal(err)
	}
	img, err := e.Prepare(t.Context(), PrepareOptions{
		Image: study.Image{Name: "scratch"}, Tree: dir, Owner: shared.owner,
		Agent: AgentBuild{Folder: filepath.Join(t.TempDir(), "agent"), Steps: os.DirFS("../harness/steps")}.Program,
	})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]Image{"a": img}
}

// stepsOf is an attempt that runs steps.
func stepsOf(t *testing.T, script ...steps.Step) trial.Request {
	t.Helper()
	text, err := steps.Script{Steps: script}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	r := attemptOf(t, agent.Program, steps.Argument)
	r.Env = []string{steps.Variable + "=" + text, "FAILRATE_VARIANT=a"}
	return r
}

// hostAddress is where a container on the default bridge reaches a server of this host.
func hostAddress(t *testing.T, e *Engine, h http.HandlerFunc) string {
	t.Helper()
	at, name := "", ""
	n, err := e.cli.NetworkInspect(t.Context(), "bridge", network.InspectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range n.IPAM.Config {
		if c.Gateway != "" && at == "" {
			at, name = c.Gateway, c.Gateway
		}
	}
	l, err := net.Listen("tcp", net.JoinHostPort(at, "0"))
	if err != nil { // the engine is in a machine of its own
		name = "host.docker.internal"
		if l, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
	}
	s := &httptest.Server{Listener: l, Config: &http.Server{Handler: h}}
	s.Start()
	t.Cleanup(s.Close)
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return net.JoinHostPort(name, port)
}

// Steps run in an image that holds nothing else, and reach a server.
func TestSteps(t *testing.T) {
	t.Parallel()
	e := needEngine(t)
	images := stepsImage(t, e)
	address := hostAddress(t, e, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		fmt.Fprintf(w, `{"body":%q,"error":"%v"}`, body, err)
	})
	x := newExecutor(t, Options{Engine: e, Images: images, Network: study.NetworkBridge})
	r := stepsOf(t,
		steps.Step{Name: "send", Method: "POST", URL: "http://" + address, BodyFile: "doc.json", JSON: map[string]string{"/body": shared.owner.Session}},
		steps.Step{Name: "other", Wait: "1h", Only: []string{"b"}})
	o := x.Execute(t.Context(), r)
	record, log := readFile(t, r.Out.Records), readFile(t, r.Out.Log)
	if o.Fault != "" || o.Exit != 0 || !strings.HasPrefix(record, `{"outcome":"pass","evidence":["send"],"metrics":{"send_ms":`) || !strings.Contains(log, "status 200") {
		t.Errorf("%+v, %s\n%s", o, record, log)
	}
}

// Without a network every request fails, in words that say so. The time limit ends a script at once.
func TestStepsWithoutNetwork(t *testing.T) {
	t.Parallel()
	e := needEngine(t)
	images := stepsImage(t, e)
	for _, isolation := range []study.ContainerIsolation{study.ContainerFresh, study.ContainerWarm} {
		x := newExecutor(t, Options{Engine: e, Images: images, Isolation: isolation})
		for url, want := range map[string]string{
			"http://127.0.0.1:9": "connection refused: ", "http://10.0.0.1": "network unreachable: ", "http://name.invalid": "(host not found|connection refused): ",
		} {
			r := stepsOf(t, steps.Step{Name: "ask", Method: "GET", URL: url})
			o := x.Execute(t.Context(), r)
			record := readFile(t, r.Out.Records)
			if o.Fault != "" || o.Exit != 1 || !regexp.MustCompile(`^{"outcome":"fail","message":"ask: `+want).MatchString(record) {
				t.Errorf("%s, %s: %+v, %s", isolation, url, o, record)
			}
		}
		r := stepsOf(t, steps.Step{Wait: "1h"})
		r.Timeout, r.Grace = 1, patience
		if o := x.Execute(t.Context(), r); !o.Limit || o.Signal != "SIGTERM" || o.Wall > patience/2 {
			t.Errorf("%s: %+v", isolation, o)
		}
	}
}
