package containers

import (
	"context"
	"debug/elf"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
)

func TestAgentBuild(t *testing.T) {
	t.Parallel()
	worker := fstest.MapFS{"w.go": {Data: []byte("package w\n\nfunc Worker([]string) int { return 7 }\n")}, "w_test.go": {Data: []byte("broken")}}
	b := AgentBuild{Folder: t.TempDir(), Worker: worker}
	first, err := b.Program(t.Context(), "linux", "arm64")
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.Open(first)
	if err != nil || f.Machine != elf.EM_AARCH64 {
		t.Fatalf("%v, %v; want a program for arm64", f, err)
	}
	f.Close()
	if !isStatic(first) {
		t.Error("it is not static")
	}
	before, err := os.Stat(first)
	if err != nil {
		t.Fatal(err)
	}
	again, err := b.Program(t.Context(), "linux", "arm64")
	if after, serr := os.Stat(again); err != nil || serr != nil || again != first || !os.SameFile(before, after) {
		t.Errorf("built again: %s, %v, %v", again, err, serr)
	}
	b.Worker = fstest.MapFS{"w.go": {Data: []byte("package w\n\nfunc Worker([]string) int { return 8 }\n")}}
	if other, err := b.Program(t.Context(), "linux", "arm64"); err != nil || other == first {
		t.Errorf("with another worker: %s, %v", other, err)
	}
	left, err := os.ReadDir(b.Folder)
	if err != nil || len(left) != 2 {
		t.Errorf("%v in the folder, %v", left, err)
	}
}

// The program that runs steps is the agent's as well, and is made from sources that this program carries.
func TestAgentBuildWithSteps(t *testing.T) {
	t.Parallel()
	program, err := AgentBuild{Folder: t.TempDir(), Steps: os.DirFS("../harness/steps")}.Program(t.Context(), runtime.GOOS, runtime.GOARCH)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), program, "__steps")
	c.Env = []string{`FAILRATE_STEPS={"steps":[{"name":"rest","wait":"1ms"}]}`}
	if out, err := c.CombinedOutput(); err != nil || !strings.Contains(string(out), "step 1 of 1: rest: wait 1ms") {
		t.Errorf("%v: %s", err, out)
	}
	if err := exec.CommandContext(t.Context(), program, "steps").Run(); err == nil || err.Error() != "exit status 2" {
		t.Errorf("with another argument: %v", err)
	}
}

func TestAgentBuildFailures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		build AgentBuild
		want  string
	}{
		"no-toolchain": {AgentBuild{Go: "/nowhere/go"}, "no usable Go toolchain"},
		"no-sources":   {AgentBuild{Worker: fstest.MapFS{}}, "package worker has no sources"},
		"no-steps":     {AgentBuild{Steps: fstest.MapFS{"s_test.go": {Data: []byte("package s\n")}}}, "package steps has no sources"},
		"no-worker":    {AgentBuild{Worker: fstest.MapFS{"w.go": {Data: []byte("package w\n")}}}, "undefined: worker.Worker"},
	} {
		c.build.Folder = t.TempDir()
		_, err := c.build.Program(t.Context(), "linux", runtime.GOARCH)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want %q in one line", name, err, c.want)
		}
	}
}

func TestOwnAgent(t *testing.T) {
	t.Parallel()
	asked := errors.New("asked")
	own := OwnAgent(func(context.Context, string, string) (string, error) { return "", asked })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	got, err := own(t.Context(), runtime.GOOS, runtime.GOARCH)
	if isStatic(self) && (got != self || err != nil) || !isStatic(self) && !errors.Is(err, asked) {
		t.Errorf("of this program, static %t: %s, %v", isStatic(self), got, err)
	}
	if _, err := own(t.Context(), "plan9", "mips"); !errors.Is(err, asked) {
		t.Errorf("of another platform: %v", err)
	}
	if isStatic("/bin/sh") && runtime.GOOS == "linux" {
		t.Log("this host's shell is static")
	}
	if isStatic("/nowhere") || isStatic(t.TempDir()) {
		t.Error("what is no program is static")
	}
}
