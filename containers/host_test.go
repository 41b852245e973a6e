package containers

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFindHost(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	// The folder's name is the SHA-256 of the context's, here of "colima".
	const meta = ".docker/contexts/meta/f24fd3749c1368328e2b149bec149cb6795619f244c5b584e844961215dadd16/meta.json"
	for path, text := range map[string]string{
		".docker/config.json": `{"currentContext":"colima"}`,
		meta:                  `{"Name":"colima","Endpoints":{"docker":{"Host":"unix:///colima.sock"}}}`,
		"other/config.json":   `{"currentContext":"default"}`,
		"broken/config.json":  `{`,
	} {
		path = filepath.Join(home, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, env, exists, want string
	}{
		{"docker-host", "DOCKER_HOST=tcp://1.2.3.4:2375", "/var/run/docker.sock", "tcp://1.2.3.4:2375"},
		{"context", "", "/var/run/docker.sock", "unix:///colima.sock"},
		{"named-context", "DOCKER_CONTEXT=none-such", "", ""},
		{"default-context", "DOCKER_CONTEXT=default", "/var/run/docker.sock", "unix:///var/run/docker.sock"},
		{"other-config", "DOCKER_CONFIG=" + filepath.Join(home, "other"), "/var/run/docker.sock", "unix:///var/run/docker.sock"},
		{"broken-config", "DOCKER_CONFIG=" + filepath.Join(home, "broken"), home + "/.docker/run/docker.sock", "unix://" + home + "/.docker/run/docker.sock"},
		{"rootless", "DOCKER_CONTEXT=default XDG_RUNTIME_DIR=/run/user/7", "/run/user/7/docker.sock", "unix:///run/user/7/docker.sock"},
		{"nothing", "DOCKER_CONTEXT=default", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			env := map[string]string{}
			for _, pair := range strings.Fields(c.env) {
				k, v, _ := strings.Cut(pair, "=")
				env[k] = v
			}
			f := finder{getenv: func(k string) string { return env[k] }, home: home, exists: func(p string) bool { return p == c.exists }}
			if got := f.find(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestNoEngine(t *testing.T) {
	t.Parallel()
	host := "unix://" + filepath.Join(t.TempDir(), "none.sock")
	_, err := Connect(t.Context(), ConnectOptions{Host: host})
	var e *EngineError
	if !errors.As(err, &e) || !errors.Is(err, ErrNoEngine) {
		t.Fatalf("got %v, want an EngineError that wraps ErrNoEngine", err)
	}
	if text := err.Error(); !strings.Contains(text, host) || strings.ContainsAny(text, "\n") {
		t.Errorf("error %q, want one line with the address", text)
	}
	if !strings.Contains(e.Hint(), "DOCKER_HOST") {
		t.Errorf("hint %q", e.Hint())
	}
	lines := Doctor(t.Context(), ConnectOptions{Host: host}, t.TempDir())
	if len(lines) != 1 || lines[0].OK || lines[0].Hint == "" {
		t.Errorf("doctor says %+v, want one line that is not ok and says what to do", lines)
	}
}
