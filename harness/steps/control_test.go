package steps

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// stage carries out actions, or says why not.
func stage(asked *[]string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		*asked = append(*asked, fmt.Sprintf("%s %s %d %v", r.Method, r.URL.EscapedPath(), len(body), err))
		switch {
		case strings.HasSuffix(r.URL.Path, "/ill"):
			http.Error(w, "it is not ready after 1m0s\x1b[2J\nand more", http.StatusBadGateway)
		case strings.HasSuffix(r.URL.Path, "/odd"):
			_, _ = io.WriteString(w, "hello")
		case strings.HasSuffix(r.URL.Path, "/moved"):
			http.Redirect(w, r, "/cut/a", http.StatusTemporaryRedirect)
		default:
			w.WriteHeader(http.StatusNoContent)
		}
	}
}

func TestActions(t *testing.T) {
	t.Parallel()
	var asked []string
	b := newBench(t, stage(&asked))
	b.env[ControlVariable] = "http://" + b.env[ServiceVariable("node")] + "/to-ken"
	r := b.run(Step{Name: "apart", Action: Cut, Services: []string{"a", "b-1"}}, Step{Action: Start, Services: []string{"a"}})
	b.wants(r, Passed, "", "")
	if got := strings.Join(asked, "; "); got != "POST /to-ken/cut/a 0 <nil>; POST /to-ken/cut/b-1 0 <nil>; POST /to-ken/start/a 0 <nil>" || strings.Join(r.Evidence, " ") != "apart" {
		t.Errorf("%s, %q", got, r.Evidence)
	}
	b.wants(b.run(Step{Action: Start, Services: []string{"a", "ill", "b"}}), Broken, "", `start ill: not done: status 502: it is not ready after 1m0s\\u001b\[2J\\nand more`)
	b.wants(b.run(Step{Action: Start, Services: []string{"ill"}, Class: "no-start", GoOn: true}, Step{Wait: "0s"}), Failed, "no-start", `start ill: not done: .*`)
	b.wants(b.run(Step{Action: Start, Services: []string{"odd"}}), Broken, "", `start odd: not done: status 200: hello`)
	b.wants(b.run(Step{Action: Cut, Services: []string{"moved"}}), Broken, "", `cut moved: not done: status 307: .*`)
	if strings.Contains(b.log.String(), "to-ken") {
		t.Error(b.log.String())
	}
}

func TestActionsOverASocket(t *testing.T) {
	t.Parallel()
	var asked []string
	dir, err := os.MkdirTemp("", "s") // shorter than what a test is given, as the paths of sockets have to be
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "control")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: stage(&asked)}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	b := newBench(t, nil)
	b.env[ControlVariable] = "unix://" + path
	b.wants(b.run(Step{Action: Pause, Services: []string{"a"}}), Passed, "", "")
	if strings.Join(asked, "; ") != "POST /pause/a 0 <nil>" {
		t.Error(asked)
	}
}

// When nobody carries actions out, no class of the step's makes a failure of it.
func TestNobodyActs(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	step := Step{Action: Kill, Services: []string{"a"}, Class: "c"}
	b.wants(b.run(step), Broken, "", "FAILRATE_CONTROL does not say who carries out actions")
	for address, want := range map[string]string{
		"unix:///nowhere/socket":               "kill a: the harness cannot be asked: .*no such file or directory",
		"unix://nowhere":                       "FAILRATE_CONTROL is not the address of a socket or a server",
		"":                                     "FAILRATE_CONTROL is not the address of a socket or a server",
		"http://127.0.0.1:%zz/":                "FAILRATE_CONTROL is not an address",
		"http://" + rude(t, reset) + "/secret": "kill a: the harness cannot be asked: connection reset: .*",
	} {
		b.env[ControlVariable] = address
		b.wants(b.run(step), Broken, "", want)
	}
	if strings.Contains(b.log.String(), "secret") {
		t.Error(b.log.String())
	}
}
