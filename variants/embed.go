// Package variants holds the built-in studies: each folder with a study.yaml is one, with its subject's source beside it.
//
// It gives them as files, to be listed and unpacked; what a study means is not known here, and nothing is run or
// compiled. The subjects in Go are programs of their own that use the standard library and variants/internal and nothing
// else, so they compile anywhere, also without a network. Those in Java are one Maven project, variants/internal/solr.
package variants

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// FS is the built-in studies and the packages that their subjects share, as they are in the repository.
//
//go:embed proxy-race quickwit-503 quickwit-routing soft-commit solr-alias-hotspot solr-checkout solr-recovery solr-send internal
var FS embed.FS

// studyFile is what makes a folder a study.
const studyFile = "study.yaml"

// module is the go.mod of an unpacked tree: the subjects' import paths need no other module.
const module = "module github.com/failrate/failrate\n\ngo 1.26\n"

// Names lists the built-in studies, sorted.
func Names() []string {
	entries, _ := FS.ReadDir(".") // an embedded folder can always be read
	var names []string
	for _, e := range entries {
		if _, err := fs.Stat(FS, e.Name()+"/"+studyFile); err == nil {
			names = append(names, e.Name())
		}
	}
	return names
}

// Unpack writes one study and what its subject needs into an empty or missing folder, as a module that compiles by
// itself, and gives the study's own folder in it. Tests are left out.
func Unpack(name, dir string) (string, error) {
	if _, err := fs.Stat(FS, name+"/"+studyFile); err != nil || strings.ContainsAny(name, `/\`) {
		return "", fmt.Errorf("there is no built-in study %q (there are %s)", name, strings.Join(Names(), ", "))
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return "", fmt.Errorf("unpack %s: the folder %q is not empty", name, dir)
	}
	for _, root := range []string{name, "internal"} {
		if err := copyTree(root, filepath.Join(dir, "variants")); err != nil {
			return "", fmt.Errorf("unpack %s: %w", name, err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(module), 0o644); err != nil {
		return "", fmt.Errorf("unpack %s: %w", name, err)
	}
	return filepath.Join(dir, "variants", name), nil
}

func copyTree(root, dir string) error {
	return fs.WalkDir(FS, root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(path))
		switch {
		case d.IsDir():
			return os.MkdirAll(to, 0o755)
		case strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := FS.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(to, text, 0o644)
	})
}
