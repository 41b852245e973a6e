package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// LookUp finds a program in a folder and then in the PATH of an environment. A name with a slash is relative to the
// folder.
func LookUp(name, dir string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		if filepath.IsAbs(name) {
			return name, nil
		}
		return filepath.Join(dir, name), nil
	}
	path := "/usr/local/bin:/usr/bin:/bin"
	for _, v := range env {
		if p, ok := strings.CutPrefix(v, "PATH="); ok {
			path = p
		}
	}
	for _, d := range append([]string{dir}, filepath.SplitList(path)...) {
		if !filepath.IsAbs(d) {
			d = filepath.Join(dir, d)
		}
		p := filepath.Join(d, name)
		if s, err := os.Stat(p); err == nil && s.Mode().IsRegular() && s.Mode()&0o111 != 0 {
			return p, nil
		}
	}
	return "", fmt.Errorf("start %q: no such program in its folder or in PATH %q", name, path)
}
