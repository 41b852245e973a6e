package containers

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/elf"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
)

// AgentFunc gives the path of a statically linked agent program for an operating system and CPU architecture, in Go's
// words. The program runs agent.Main on the arguments after the first when that is agent.Argument.
type AgentFunc func(ctx context.Context, goos, arch string) (string, error)

// OwnAgent takes this very program as the agent where that is possible: it must run on the containers' platform, be
// linked statically, and answer to agent.Argument (and to that of steps, where a subject has them), for which the caller
// vouches. Elsewhere it asks otherwise.
func OwnAgent(otherwise AgentFunc) AgentFunc {
	return func(ctx context.Context, goos, arch string) (string, error) {
		self, err := os.Executable()
		if err == nil && goos == runtime.GOOS && arch == runtime.GOARCH && isStatic(self) {
			return self, nil
		}
		return otherwise(ctx, goos, arch)
	}
}

// isStatic reports whether a program needs no loader, so that it runs in an image that holds nothing else.
func isStatic(program string) bool {
	f, err := elf.Open(program)
	if err != nil {
		return false
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			return false
		}
	}
	return true
}

//go:embed agent/*.go
var agentSources embed.FS

// AgentBuild compiles the agent with the host's Go toolchain, from sources that this program carries.
type AgentBuild struct {
	Go     string // the go command; empty means the one in PATH
	Folder string // keeps the programs; the second call for the same sources, target and toolchain finds one there
	// Worker holds the sources of a package that imports the standard library alone and has the stress worker,
	// func Worker(args []string) int. Nil makes an agent without one.
	Worker fs.FS
	// Steps holds the sources of such a package that runs the steps of a subject when its constant Argument is the first
	// argument, func Main() int. Nil makes an agent that cannot.
	Steps fs.FS
}

// Program is an AgentFunc.
func (b AgentBuild) Program(ctx context.Context, goos, arch string) (string, error) {
	if b.Go == "" {
		b.Go = "go"
	}
	version, err := exec.CommandContext(ctx, b.Go, "env", "GOVERSION").Output()
	if err != nil {
		return "", fmt.Errorf("build the container agent: no usable Go toolchain: %w", err)
	}
	files, err := b.sources()
	if err != nil {
		return "", fmt.Errorf("build the container agent: %w", err)
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %s %s\n", goos, arch, bytes.TrimSpace(version))
	for _, f := range files {
		fmt.Fprintf(sum, "%s %d\n%s", f.name, len(f.text), f.text)
	}
	out := filepath.Join(b.Folder, hex.EncodeToString(sum.Sum(nil))[:16], "agent")
	if _, err := os.Stat(out); err == nil {
		return out, nil
	}
	if err := b.compile(ctx, files, out, goos, arch); err != nil {
		return "", fmt.Errorf("build the container agent: %w", err)
	}
	return out, nil
}

type source struct {
	name string
	text []byte
}

// sources is the module that is compiled: the agent, what else it has to be, a main and a go.mod.
func (b AgentBuild) sources() ([]source, error) {
	imports, branch, worker := "", "", "nil"
	if b.Steps != nil {
		imports += "\t\"failrate.local/steps\"\n"
		branch = stepsBranch
	}
	if b.Worker != nil {
		imports += "\tworker \"failrate.local/worker\"\n"
		worker = "worker.Worker"
	}
	files := []source{
		{"go.mod", []byte("module failrate.local\n\ngo 1.26\n")},
		{"main.go", []byte(fmt.Sprintf(agentMain, imports, branch, worker))},
	}
	inner, err := fs.Sub(agentSources, "agent")
	if err != nil {
		return nil, err
	}
	for _, p := range []struct {
		folder string
		from   fs.FS
	}{{"agent", inner}, {"steps", b.Steps}, {"worker", b.Worker}} {
		if p.from == nil {
			continue
		}
		if files, err = addSources(files, p.folder, p.from); err != nil {
			return nil, err
		}
	}
	return files, nil
}

const agentMain = `package main

import (
	"os"

	"failrate.local/agent"
%s)

func main() {
%s	if len(os.Args) < 2 || os.Args[1] != agent.Argument {
		os.Exit(2)
	}
	os.Exit(agent.Main(os.Args[2:], %s))
}
`

const stepsBranch = `	if len(os.Args) > 1 && os.Args[1] == steps.Argument {
		os.Exit(steps.Main())
	}
`

// addSources adds the Go files of one package without its tests.
func addSources(files []source, folder string, from fs.FS) ([]source, error) {
	names, err := fs.Glob(from, "*.go")
	if err != nil {
		return nil, err
	}
	before := len(files)
	for _, n := range names {
		if strings.HasSuffix(n, "_test.go") {
			continue
		}
		text, err := fs.ReadFile(from, n)
		if err != nil {
			return nil, err
		}
		files = append(files, source{folder + "/" + n, text})
	}
	if len(files) == before {
		return nil, errors.New("package " + folder + " has no sources")
	}
	return files, nil
}

// compile makes the program whole or not at all, whoever else makes it at the same time.
func (b AgentBuild) compile(ctx context.Context, files []source, out, goos, arch string) error {
	if err := os.MkdirAll(filepath.Dir(out), 0o700); err != nil {
		return err
	}
	work, err := os.MkdirTemp(filepath.Dir(out), "build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	for _, f := range files {
		p := filepath.Join(work, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Join(work, path.Dir(f.name)), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(p, f.text, 0o600); err != nil {
			return err
		}
	}
	cmd := exec.CommandContext(ctx, b.Go, "build", "-trimpath", "-ldflags=-s -w -buildid=", "-o", "agent.new", ".")
	cmd.Dir = work
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+arch, "GOWORK=off", "GOFLAGS=", "GOTOOLCHAIN=local")
	if log, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, strings.Join(strings.Fields(string(log)), " "))
	}
	return os.Rename(filepath.Join(work, "agent.new"), out)
}
