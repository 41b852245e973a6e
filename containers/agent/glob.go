package agent

import (
	"iter"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Match yields the files below dir, links included, that the pattern means, relative to dir, each once and in the order of
// their names. Every part of the pattern is one of path.Match; a part ** stands for any number of folders, none
// included. Links to folders are not followed, and no pattern leaves the folder.
func Match(dir, pattern string) iter.Seq[string] {
	return func(yield func(string) bool) {
		clean := path.Clean(pattern)
		if !filepath.IsLocal(clean) {
			return
		}
		if clean == "**" || strings.HasSuffix(clean, "/**") {
			clean += "/*"
		}
		seen := map[string]bool{}
		walk(dir, "", strings.Split(clean, "/"), func(name string) bool {
			if seen[name] {
				return true
			}
			seen[name] = true
			return yield(name)
		})
	}
}

// walk goes on with the parts of a pattern in the folder at below root. It is false when yield was.
func walk(root, at string, parts []string, yield func(string) bool) bool {
	part, rest := parts[0], parts[1:]
	if part == "**" {
		if !walk(root, at, rest, yield) {
			return false
		}
		rest = parts
	}
	entries, err := os.ReadDir(filepath.Join(root, at))
	if err != nil {
		return true // nothing is below what is no folder
	}
	for _, e := range entries {
		name := path.Join(at, e.Name())
		if ok, err := path.Match(part, e.Name()); part != "**" && (err != nil || !ok) {
			continue
		}
		switch {
		case len(rest) == 0:
			if !e.IsDir() && !yield(name) {
				return false
			}
		case e.IsDir():
			if !walk(root, name, rest, yield) {
				return false
			}
		}
	}
	return true
}
