package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/failrate/failrate/harness/plan"
	"github.com/failrate/failrate/stress"
)

// TestMain lets scripts run this program as failrate, and the subjects below as programs of their own.
func TestMain(m *testing.M) {
	if stress.IsWorker() {
		os.Exit(stress.RunWorker())
	}
	testscript.Main(m, map[string]func(){
		"failrate":  main,
		"flaky":     func() { os.Exit(flaky(os.Args[1:])) },
		"serve":     func() { os.Exit(serve(os.Args[1:])) },
		"ask":       func() { os.Exit(ask(os.Args[1:])) },
		"sametable": func() { os.Exit(sametable(os.Args[1:])) },
	})
}

// TestScripts runs one script per behaviour of the command line.
func TestScripts(t *testing.T) {
	t.Parallel()
	scripts, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts found: %v", err)
	}
	server := httptest.NewServer(http.HandlerFunc(flakyServer))
	t.Cleanup(server.Close)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"expand": expand},
		Setup: func(e *testscript.Env) error {
			e.Setenv("FAILRATE_CACHE", filepath.Join(e.WorkDir, "cache"))
			e.Setenv("NO_COLOR", "1")
			e.Setenv("SERVER", strings.TrimPrefix(server.URL, "http://"))
			e.Setenv("GOCACHE", goCache())
			return nil
		},
	})
}

// flakyServer does for subjects of steps what flaky does for those that are a program.
func flakyServer(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/create":
		fmt.Fprintf(w, `{"uid":%q,"trial":7.50}`, r.FormValue("t"))
	case "/hang":
		<-r.Context().Done()
	case "/flaky":
		_, n, _, err := plan.ParseID(r.FormValue("t"))
		if err != nil || n*7%20 < 7 {
			http.Error(w, fmt.Sprintf("{\"message\":\"no shards for %d\x1b[2J\"}", n), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintf(w, `{"n":%d,"query":%q}`, n, r.URL.RawQuery)
	default:
		http.NotFound(w, r)
	}
}

// expand puts the values of the script's variables into a file, such as the address of a server.
func expand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: expand FILE")
	}
	path := ts.MkAbs(args[0])
	text := os.Expand(ts.ReadFile(path), func(name string) string {
		if value := ts.Getenv(name); value != "" {
			return value
		}
		return "${" + name + "}"
	})
	ts.Check(os.WriteFile(path, []byte(text), 0o600))
}

func goCache() string {
	if dir := os.Getenv("GOCACHE"); dir != "" {
		return dir
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "go-build")
}

// flaky fails exactly 7 of every 20 times: by a counter file when it is given one, by the trial's number otherwise.
func flaky(args []string) int {
	n, err := number(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "flaky:", err)
		return 99
	}
	if n*7%20 < 7 {
		fmt.Printf("run %d: connection reset by peer\n", n)
		return 1
	}
	fmt.Printf("run %d: ok\n", n)
	return 0
}

func number(args []string) (int, error) {
	if len(args) == 0 {
		_, n, _, err := plan.ParseID(os.Getenv("FAILRATE_TRIAL"))
		return n, err
	}
	f, err := os.OpenFile(args[0], os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return 0, err
	}
	data, err := os.ReadFile(args[0])
	if err != nil {
		return 0, err
	}
	n, _ := strconv.Atoi(strings.TrimSpace(string(data)))
	_, err = f.WriteAt([]byte(strconv.Itoa(n+1)), 0)
	return n + 1, err
}
