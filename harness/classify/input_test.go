package classify

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/failrate/failrate/harness/trial"
)

// readAll reads a source.
func readAll(s Source) (string, error) {
	f, err := s.open()
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	return string(text), err
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func zipped(t *testing.T, content string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestOpenInput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("log"), "the log")
	write(t, at("stdout.gz"), zipped(t, "the stdout"))
	write(t, at("results/deep/a.xml"), "a")
	write(t, at("results/b.xml.gz"), zipped(t, "b"))
	in := OpenInput(trial.Output{Log: at("log"), Stdout: at("stdout"), Results: at("results")})
	for want, source := range map[string]Source{
		"the log": in.Log, "the stdout": in.Stdout, "a": fileIn(in, "deep/a.xml"), "b": fileIn(in, "b.xml"),
	} {
		for range 2 { // from the beginning each time
			if got, err := readAll(source); got != want || err != nil {
				t.Errorf("got %q (%v), want %q", got, err, want)
			}
		}
	}
	for name, source := range map[string]Source{"records": in.Records, "no such file": fileIn(in, "c.xml"), "no such folder": OpenInput(trial.Output{Log: at("gone/log")}).Log} {
		if _, err := readAll(source); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	write(t, at("bad.gz"), zipped(t, "cut off")[:15])
	if _, err := readAll(OpenInput(trial.Output{Log: at("bad")}).Log); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a damaged file: %v", err)
	}
	write(t, at("worse.gz"), "plain")
	if _, err := readAll(OpenInput(trial.Output{Log: at("worse")}).Log); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no gzip at all: %v", err)
	}
}

// TestOpenInputLeadsNowhere puts in place of a file what a hostile subject could.
func TestOpenInputLeadsNowhere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("secret"), "secret")
	write(t, at("results/a"), "a")
	write(t, at("folder/x"), "x")
	for link, target := range map[string]string{
		at("absolute"): at("secret"), at("relative"): "secret", at("device"): os.DevNull, at("zero.gz"): "/dev/zero",
		at("results/out"): at("secret"), at("results/up"): "../secret", at("results/over"): "..", at("results/in"): "a",
	} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(at("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	in := OpenInput(trial.Output{Results: at("results")})
	for _, name := range []string{"absolute", "relative", "device", "zero", "pipe", "folder"} {
		if text, err := readAll(OpenInput(trial.Output{Records: at(name)}).Records); err == nil {
			t.Errorf("%s: read %q", name, text)
		}
	}
	for _, name := range []string{"out", "up", "over/secret", "in", "../secret", "/etc/passwd", "", ".", "a/../a"} {
		if text, err := readAll(fileIn(in, name)); err == nil {
			t.Errorf("result %q: read %q", name, text)
		}
	}
	if text, err := readAll(fileIn(in, "a")); text != "a" || err != nil {
		t.Errorf("the result file itself: %q (%v)", text, err)
	}
}
