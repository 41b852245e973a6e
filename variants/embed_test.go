package variants

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestNamesAreTheFoldersWithAStudy(t *testing.T) {
	t.Parallel()
	if got, want := Names(), []string{"proxy-race", "quickwit-503", "quickwit-routing", "soft-commit", "solr-alias-hotspot", "solr-checkout", "solr-recovery", "solr-send"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, name := range Names() {
		text, err := fs.ReadFile(FS, name+"/"+studyFile)
		if err != nil || !strings.HasPrefix(string(text), "study: "+name+"\n") {
			t.Errorf("%s/%s does not begin with its name: %v", name, studyFile, err)
		}
	}
}

// goStudies are those whose subject is a program in Go.
func goStudies(t *testing.T) (names []string) {
	t.Helper()
	for _, name := range Names() {
		if _, err := fs.Stat(FS, name+"/subject/main.go"); err == nil {
			names = append(names, name)
		}
	}
	if len(names) < 2 {
		t.Fatalf("only %q have a subject in Go", names)
	}
	return names
}

func TestUnpackedStudyCompilesByItself(t *testing.T) {
	t.Parallel()
	for _, name := range goStudies(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, err := Unpack(name, filepath.Join(t.TempDir(), "study"))
			if err != nil {
				t.Fatal(err)
			}
			program := filepath.Join(t.TempDir(), name)
			tool(t, dir, nil, "build", "-trimpath", "-buildvcs=false", "-o", program, "./subject")
			help, err := exec.CommandContext(context.Background(), program, "--help").Output()
			if err != nil || !bytes.HasPrefix(help, []byte(name)) {
				t.Errorf("--help gave %q, %v", help, err)
			}
		})
	}
}

// Other systems and machines need the same files; their code is compiled by the checks of the whole repository.
func TestSubjectsUseTheStandardLibraryAlone(t *testing.T) {
	t.Parallel()
	for _, name := range goStudies(t) {
		dir, err := Unpack(name, filepath.Join(t.TempDir(), "study"))
		if err != nil {
			t.Fatal(err)
		}
		for _, system := range []string{"linux", "darwin"} {
			out := tool(t, dir, []string{"GOOS=" + system, "GOARCH=arm64"}, "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "./subject")
			deps := strings.Fields(out)
			if len(deps) < 3 {
				t.Errorf("%s on %s has only %q", name, system, deps)
			}
			for _, dep := range deps {
				if !strings.HasPrefix(dep, "github.com/failrate/failrate/variants/") {
					t.Errorf("%s on %s needs %s", name, system, dep)
				}
			}
		}
	}
}

func TestUnpackLeavesTestsOut(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if _, err := Unpack("proxy-race", root); err != nil {
		t.Fatal(err)
	}
	files := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		files++
		if strings.HasSuffix(path, "_test.go") || d.Name() == "soft-commit" {
			t.Errorf("unpacked %s", path)
		}
		return err
	})
	if err != nil || files < 10 {
		t.Errorf("%d files, %v", files, err)
	}
}

func TestUnpackRefuses(t *testing.T) {
	t.Parallel()
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "mine"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, dir, want string }{
		{"proxy-rice", t.TempDir(), `there is no built-in study "proxy-rice" (there are proxy-race, quickwit-503, quickwit-routing, soft-commit, solr-alias-hotspot, solr-checkout, solr-recovery, solr-send)`},
		{"internal", t.TempDir(), "there is no built-in study"},
		{"", t.TempDir(), "there is no built-in study"},
		{"../variants/proxy-race", t.TempDir(), "there is no built-in study"},
		{"./proxy-race", t.TempDir(), "there is no built-in study"},
		{"proxy-race", full, "is not empty"},
	} {
		if dir, err := Unpack(c.name, c.dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %q, %v; want %q", c.name, dir, err, c.want)
		}
	}
}

// tool runs the go command in a folder, without a network.
func tool(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(context.Background(), "go", args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "GOPROXY=off", "GOWORK=off", "GOFLAGS=", "CGO_ENABLED=0"), env...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, errs.String()))
	}
	return string(out)
}
