package harness

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fuzzTarget is one fuzz function.
type fuzzTarget struct {
	dir  string // of its package
	name string
	adds int // seeds that its code adds
}

// folder is where go test looks for its committed seeds, and puts what it finds.
func (f fuzzTarget) folder() string { return filepath.Join(f.dir, "testdata", "fuzz", f.name) }

// seeds counts the committed ones; a file of another format is none.
func (f fuzzTarget) seeds(t *testing.T) (n int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(f.folder(), "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.HasPrefix(text, []byte("go test fuzz v1\n")) {
			n++
		}
	}
	return n
}

// fuzzTargets finds all of the module, and the folders of seeds that there are.
func fuzzTargets(t *testing.T) (targets []fuzzTarget, folders []string) {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (path != root && strings.HasPrefix(d.Name(), ".") || d.Name() == "results"):
			return filepath.SkipDir
		case d.IsDir() && strings.HasSuffix(filepath.ToSlash(filepath.Dir(path)), "/testdata/fuzz"):
			folders = append(folders, path)
		case strings.HasSuffix(path, "_test.go"):
			targets = append(targets, targetsIn(t, path)...)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(targets) == 0 {
		t.Fatal("there are no fuzz targets")
	}
	return targets, folders
}

func targetsIn(t *testing.T, path string) (out []fuzzTarget) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Fuzz") {
			continue
		}
		target := fuzzTarget{dir: filepath.Dir(path), name: f.Name.Name}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "Add" {
				target.adds++
			}
			return true
		})
		out = append(out, target)
	}
	return out
}

// leastSeeds are the readers of files that others write (studies, patches, results, journals, archives, what a container
// hands out, what a server answers), and how many committed seeds each must have.
var leastSeeds = map[string]int{
	"FuzzParse": 30, "FuzzCheckPatch": 8, "FuzzJUnit": 8, "FuzzGoTest": 8, "FuzzTAP": 8, "FuzzRecords": 8,
	"FuzzReplay": 8, "FuzzArchive": 8, "FuzzIntake": 3, "FuzzFind": 8,
}

// TestFuzzSeeds counts the seeds: a target whose seeds have gone passes without testing anything.
func TestFuzzSeeds(t *testing.T) {
	t.Parallel()
	targets, folders := fuzzTargets(t)
	committed := map[string]int{}
	for _, f := range targets {
		n := f.seeds(t)
		if n+f.adds == 0 {
			t.Errorf("%s in %s has no seed", f.name, f.dir)
		}
		committed[f.name] += n
	}
	for target, least := range leastSeeds {
		if n := committed[target]; n < least {
			t.Errorf("%s has %d committed seeds, want at least %d", target, n, least)
		}
	}
	for _, folder := range folders {
		if !slices.ContainsFunc(targets, func(f fuzzTarget) bool { return f.folder() == folder }) {
			t.Errorf("%s holds the seeds of no target", folder)
		}
	}
}

// mostMemory is what no process may need at its peak while it fuzzes, in bytes.
const mostMemory = 256 << 20

// TestFuzz runs every target for as long as FUZZTIME says, one after the other, each with one worker. What makes a target
// fail is in its seeds afterwards. FUZZ narrows it to targets whose name holds that word.
func TestFuzz(t *testing.T) {
	duration, err := time.ParseDuration(os.Getenv("FUZZTIME"))
	if err != nil {
		t.Skipf("SKIPPED: make fuzz runs it, and FUZZTIME says for how long: %v", err)
	}
	cache := t.TempDir()
	targets, _ := fuzzTargets(t)
	for _, f := range targets {
		if !strings.Contains(f.name, os.Getenv("FUZZ")) {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			program := filepath.Join(t.TempDir(), "fuzz.test")
			build := exec.Command("go", "test", "-c", "-fuzz", "^"+f.name+"$", "-o", program, ".")
			build.Dir = f.dir
			if text, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			c := exec.Command(program, "-test.run", "^$", "-test.fuzz", "^"+f.name+"$", "-test.fuzztime", duration.String(), "-test.parallel", "1",
				"-test.fuzzcachedir", filepath.Join(cache, f.name), "-test.timeout", (duration + 10*time.Minute).String())
			c.Dir, c.Env = f.dir, append(os.Environ(), "GOMEMLIMIT=200MiB")
			text, err := c.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, text[max(0, len(text)-4000):])
			}
			peak := peakMemory(c.ProcessState)
			if peak > mostMemory {
				t.Errorf("a process took %d MB at its peak, more than %d", peak>>20, mostMemory>>20)
			}
			lines := strings.Split(strings.TrimSpace(string(text)), "\n")
			t.Logf("%d MB at the peak; %s", peak>>20, lines[max(0, len(lines)-3)])
		})
	}
}

// peakMemory is the largest resident size, in bytes, of a process and of those that it has waited for.
func peakMemory(p *os.ProcessState) int64 {
	use, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return use.Maxrss
	}
	return use.Maxrss << 10
}
