package containers

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
)

// finder finds where the engine listens, as the docker command line does. Its fields are what it asks of the host.
type finder struct {
	getenv func(string) string
	home   string
	exists func(path string) bool
}

func hostFinder() finder {
	home, _ := os.UserHomeDir() // without a home there are simply fewer places to look
	return finder{getenv: os.Getenv, home: home, exists: func(p string) bool { _, err := os.Stat(p); return err == nil }}
}

// find gives the engine's address; empty means the client's default, /var/run/docker.sock.
// The order is DOCKER_HOST, then the docker context in use, then the first socket there is.
func (f finder) find() string {
	if h := f.getenv("DOCKER_HOST"); h != "" {
		return h
	}
	if h := f.fromContext(); h != "" {
		return h
	}
	places := []string{"/var/run/docker.sock"}
	if run := f.getenv("XDG_RUNTIME_DIR"); run != "" {
		places = append(places, filepath.Join(run, "docker.sock"))
	}
	for _, p := range []string{".docker/run/docker.sock", ".docker/desktop/docker.sock", ".colima/default/docker.sock",
		".orbstack/run/docker.sock", ".rd/docker.sock"} {
		places = append(places, filepath.Join(f.home, p))
	}
	for _, p := range places {
		if f.exists(p) {
			return "unix://" + p
		}
	}
	return ""
}

// fromContext reads the address of the docker context in use: DOCKER_CONTEXT, or the one that config.json names.
func (f finder) fromContext() string {
	folder := f.getenv("DOCKER_CONFIG")
	if folder == "" {
		folder = filepath.Join(f.home, ".docker")
	}
	name := f.getenv("DOCKER_CONTEXT")
	if name == "" {
		var config struct{ CurrentContext string }
		if !readJSON(filepath.Join(folder, "config.json"), &config) {
			return ""
		}
		name = config.CurrentContext
	}
	if name == "" || name == "default" {
		return ""
	}
	sum := sha256.Sum256([]byte(name))
	var meta struct {
		Endpoints map[string]struct{ Host string }
	}
	if !readJSON(filepath.Join(folder, "contexts", "meta", hex.EncodeToString(sum[:]), "meta.json"), &meta) {
		return ""
	}
	return meta.Endpoints["docker"].Host
}

func readJSON(path string, v any) bool {
	b, err := os.ReadFile(path)
	return err == nil && json.Unmarshal(b, v) == nil
}
