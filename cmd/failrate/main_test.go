package main

import (
	"context"
	"fmt"
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
		"failrate":  func() { os.Exit(run(context.Background(), os.Args[1:], systemStreams())) },
		"flaky":     func() { os.Exit(flaky(os.Args[1:])) },
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
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(e *testscript.Env) error {
			e.Setenv("FAILRATE_CACHE", filepath.Join(e.WorkDir, "cache"))
			e.Setenv("NO_COLOR", "1")
			e.Setenv("GOCACHE", goCache())
			return nil
		},
	})
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
