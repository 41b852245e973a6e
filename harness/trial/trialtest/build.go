package trialtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Program builds the suite's program for an operating system (linux, darwin) and this machine's architecture, as a
// static binary in a folder of the test's own, and gives its path.
func Program(t testing.TB, goos string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "subject")
	c := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o", out,
		"github.com/failrate/failrate/harness/trial/trialtest/subject")
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOFLAGS=")
	if text, err := c.CombinedOutput(); err != nil {
		t.Fatalf("build the suite's program: %v\n%s", err, text)
	}
	return out
}

// Processes lists the processes of this host that bear the token in their arguments, as "pid arguments".
func Processes(t *testing.T, token string) []string {
	t.Helper()
	if _, err := os.Stat("/proc/self/cmdline"); err != nil {
		return listed(t, token)
	}
	paths, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no processes found in /proc: %v", err)
	}
	var left []string
	for _, p := range paths {
		if line := commandLine(filepath.Dir(p)); strings.Contains(line, token) {
			left = append(left, fmt.Sprintf("%s %q", filepath.Base(filepath.Dir(p)), line))
		}
	}
	return left
}

// commandLine is a process's arguments; empty when it has ended. One whose first thread has ended tells by another.
func commandLine(dir string) string {
	line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
	if len(line) > 0 {
		return string(line)
	}
	others, _ := filepath.Glob(filepath.Join(dir, "task", "*", "cmdline"))
	for _, o := range others {
		if line, _ = os.ReadFile(o); len(line) > 0 {
			break
		}
	}
	return string(line)
}

// listed is Processes where there is no /proc.
func listed(t *testing.T, token string) []string {
	t.Helper()
	text, err := exec.CommandContext(t.Context(), "ps", "-axww", "-o", "pid=,command=").Output()
	if err != nil {
		t.Fatalf("list processes: %v", err)
	}
	var left []string
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, token) {
			left = append(left, strings.TrimSpace(line))
		}
	}
	return left
}
