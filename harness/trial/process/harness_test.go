package process_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/failrate/failrate/harness/trial/process"
	"github.com/failrate/failrate/harness/trial/trialtest"
)

// harnessVariable makes this test binary a harness of its own: it runs the command in its arguments.
const harnessVariable = "FAILRATE_TEST_HARNESS"

func TestMain(m *testing.M) {
	if dir := os.Getenv(harnessVariable); dir != "" {
		os.Exit(beHarness(dir, os.Args[1:]))
	}
	os.Exit(m.Run())
}

// beHarness runs one command as a harness does, with its folders below dir, and prints what it observed.
func beHarness(dir string, command []string) int {
	s, err := process.Open(process.Options{Sessions: filepath.Join(dir, "sessions"), Scratch: dir})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	exit, err := run(context.Background(), s, filepath.Join(dir, "log"), command)
	fmt.Printf("status=%d%s leaked=%d err=%v\n", exit.Status, exit.Signal, len(exit.Leaked), err)
	if err := s.Close(); err != nil {
		fmt.Println(err)
	}
	return 0
}

func run(ctx context.Context, s *process.Session, logPath string, command []string) (process.Exit, error) {
	log, err := process.NewLog(logPath, 1<<20)
	if err != nil {
		return process.Exit{}, err
	}
	p, err := s.Start(process.Command{Path: command[0], Args: command, Dir: "/", Env: os.Environ(), Log: log})
	if err != nil {
		return process.Exit{}, err
	}
	exit, err := p.Wait(ctx, process.Limits{Timeout: time.Minute, Grace: time.Second})
	if _, cerr := log.Close(); err == nil {
		err = cerr
	}
	return exit, err
}

// harness starts this test binary as a harness with the command, in a folder of its own.
func harness(t *testing.T, dir string, command ...string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], command...)
	c.Env = append(os.Environ(), harnessVariable+"="+dir)
	return c
}

// startAndAwait starts a harness and waits until its subject has made the file.
func startAndAwait(t *testing.T, c *exec.Cmd, file string) {
	t.Helper()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for begun := time.Now(); ; <-tick.C {
		if _, err := os.Stat(file); err == nil {
			return
		}
		if time.Since(begun) > time.Minute {
			t.Fatal("the subject did not begin")
		}
	}
}

// A harness is killed with its subject and the subject's daemons alive. Sweep ends and removes all of it, and nothing
// of a harness that lives.
func TestSweepAfterKill(t *testing.T) {
	t.Parallel()
	program := trialtest.Program(t, runtime.GOOS)
	dir := t.TempDir()
	sessions := filepath.Join(dir, "sessions")
	kinds := []string{"spawn=held", "spawn=setsid", "spawn=daemon", "spawn=stubborn"}
	start := func(token string) *exec.Cmd {
		args := append([]string{program, "token=" + token}, kinds...)
		c := harness(t, dir, append(args, "write="+filepath.Join(dir, token)+":", "sleep=")...)
		startAndAwait(t, c, filepath.Join(dir, token))
		return c
	}
	dead, alive := start("dead-"+t.Name()), start("live-"+t.Name())
	if err := dead.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = dead.Wait() // it was killed
	if got := trialtest.Processes(t, "token=dead-"+t.Name()); len(got) != 1+len(kinds) {
		t.Errorf("the kill left %q, want the subject and %d more", got, len(kinds))
	}
	swept, err := process.Sweep(sessions)
	if err != nil || len(swept.Sessions) != 1 || len(swept.Folders) != 1 || len(swept.Processes) != 1+len(kinds) {
		t.Errorf("swept %+v (%v), want one session, its folder and %d processes", swept, err, 1+len(kinds))
	}
	if left := trialtest.Processes(t, "token=dead-"+t.Name()); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	if got := trialtest.Processes(t, "token=live-"+t.Name()); len(got) != 1+1+len(kinds) { // and the harness itself
		t.Errorf("of the live harness only %q is left", got)
	}
	if err := alive.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = alive.Wait()
	if _, err := process.Sweep(sessions); err != nil {
		t.Error(err)
	}
	if left := trialtest.Processes(t, t.Name()); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	if again, err := process.Sweep(sessions); err != nil || len(again.Sessions) > 0 {
		t.Errorf("swept again: %+v (%v)", again, err)
	}
	for _, pattern := range []string{"failrate-*", "sessions/*"} {
		if left, err := filepath.Glob(filepath.Join(dir, pattern)); err != nil || len(left) > 0 {
			t.Errorf("left: %q (%v)", left, err)
		}
	}
}

// Sweep trusts no session file that is not as this program writes it.
func TestSweepRefusesStrangeFiles(t *testing.T) {
	t.Parallel()
	precious := t.TempDir()
	for name, text := range map[string]string{
		"foreign folder": `{"format":1,"id":"abc","folder":"` + precious + `"}`,
		"relative":       `{"format":1,"id":"abc","folder":"failrate-abc"}`,
		"no id":          `{"format":1,"id":"","folder":"/tmp/failrate-"}`,
		"other format":   `{"format":2,"id":"abc","folder":"/tmp/failrate-abc"}`,
		"not JSON":       `abc`,
		"empty":          ``,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "abc.json"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			swept, err := process.Sweep(dir)
			if err == nil || len(swept.Sessions)+len(swept.Folders) > 0 {
				t.Errorf("swept %+v (%v), want an error", swept, err)
			}
		})
	}
	t.Cleanup(func() {
		if _, err := os.Stat(precious); err != nil {
			t.Error("a folder that is no session's was removed")
		}
	})
}

// A session that is just beginning has no name yet; one whose harness died there is forgotten.
func TestSweepOfSessionsThatDidNotBegin(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, age := range map[string]time.Duration{"young.json.new": 0, "old.json.new": 24 * time.Hour} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Now(), time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := process.Sweep(dir); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 || filepath.Base(left[0]) != "young.json.new" {
		t.Errorf("left: %q, want the young one", left)
	}
}

func TestSweepOfNothing(t *testing.T) {
	t.Parallel()
	if swept, err := process.Sweep(filepath.Join(t.TempDir(), "missing [1]")); err != nil || len(swept.Sessions) > 0 {
		t.Errorf("swept %+v (%v)", swept, err)
	}
}

// How the harness was started does not matter to what it starts: under nohup, or as a shell's job in the background,
// it ignores signals that its subject is to react to.
func TestIgnoredSignalsAreNotInherited(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"HUP", "INT"} {
		dir := t.TempDir()
		inner := harness(t, dir, "/bin/sh", "-c", "kill -"+name+" $$; exit 9")
		c := exec.CommandContext(t.Context(), "/bin/sh", append([]string{"-c", `trap "" ` + name + `; kill -` + name + ` $$; exec "$@"`, "sh"}, inner.Args...)...)
		c.Env = inner.Env
		if got := output(t, c); got != "status=-1SIG"+name+" leaked=0 err=<nil>" {
			t.Errorf("observed %q, want the end by SIG%s", got, name)
		}
	}
}

// output runs a harness to its end and gives its last line.
func output(t *testing.T, c *exec.Cmd) string {
	t.Helper()
	text, err := c.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	last := ""
	for lines := bufio.NewScanner(strings.NewReader(string(text))); lines.Scan(); {
		last = lines.Text()
	}
	return last
}
