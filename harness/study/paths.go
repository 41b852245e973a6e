package study

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"

	"go.yaml.in/yaml/v3"
)

const maxLaidOver = 2000 // files of one folder that a variant lays over the tree

// inside turns a path of the study into an absolute one. The path must lead to something inside the study's folder,
// also when its symlinks are followed.
func (r *reader) inside(n *yaml.Node, text string) (absolute string, info fs.FileInfo, ok bool) {
	rel, err := filepath.Localize(path.Clean(text))
	if text == "" || err != nil {
		r.fail(n, "paths are relative to the study's folder and stay inside it", "%s: %s leaves the study's folder", r.label, clip(text))
		return "", nil, false
	}
	info, err = r.root.Stat(rel)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.fail(n, r.nearestFile(rel), "%s: there is no %s in the study's folder", r.label, clip(text))
	case err != nil:
		r.fail(n, "", "%s: %s cannot be used: %v", r.label, clip(text), reason(err))
	default:
		return filepath.Join(r.dir, rel), info, true
	}
	return "", nil, false
}

// reason is a file error without its path, which the message has already.
func reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// nearestFile is a hint: a file of the same folder with a similar name.
func (r *reader) nearestFile(rel string) string {
	entries, err := fs.ReadDir(r.root.FS(), filepath.Dir(rel))
	if err != nil || len(entries) > maxLaidOver {
		return ""
	}
	var have []string
	for _, e := range entries {
		have = append(have, e.Name())
	}
	if best := nearest(filepath.Base(rel), have); best != "" {
		return "did you mean " + clip(filepath.Join(filepath.Dir(rel), best)) + "?"
	}
	return ""
}

// file is inside for a regular file.
func (r *reader) regularFile(n *yaml.Node, text string) (string, bool) {
	absolute, info, ok := r.inside(n, text)
	if ok && !info.Mode().IsRegular() {
		r.fail(n, "", "%s: %s is not a file", r.label, clip(text))
		return "", false
	}
	return absolute, ok
}

// folder is inside for a folder.
func (r *reader) folder(n *yaml.Node, into *string) bool {
	var text string
	if !r.text(n, &text) {
		return false
	}
	absolute, info, ok := r.inside(n, text)
	if ok && !info.IsDir() {
		r.fail(n, "", "%s: %s is not a folder", r.label, clip(text))
		return false
	}
	if ok {
		*into = absolute
	}
	return ok
}

// laidOver reads what a variant lays over the tree: a mapping of the tree's paths to files, or a folder.
func (r *reader) laidOver(n *yaml.Node, into *map[string]string) {
	out := map[string]string{}
	if resolve(n).Kind == yaml.ScalarNode {
		var dir string
		if r.folder(n, &dir) {
			r.walkFolder(n, dir, out)
		}
	} else if pairs, ok := r.pairs(n); ok {
		for _, p := range pairs {
			var text string
			if !treePath(p.name) {
				r.fail(p.at, "write it relative to the tree, without . and ..", "files: %s is not a path in the subject's tree", clip(p.name))
				continue
			}
			if r.text(p.value, &text) {
				if absolute, ok := r.regularFile(p.value, text); ok {
					out[p.name] = absolute
				}
			}
		}
	}
	if len(out) > 0 {
		*into = out
	}
}

// walkFolder lists a folder's files by their path in it.
func (r *reader) walkFolder(n *yaml.Node, dir string, into map[string]string) {
	base, err := filepath.Rel(r.dir, dir)
	if err != nil {
		r.fail(n, "", "files: %v", err)
		return
	}
	tooMany := errors.New("too many files")
	err = fs.WalkDir(r.root.FS(), filepath.ToSlash(base), func(at string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if len(into) == maxLaidOver {
			return tooMany
		}
		name, err := filepath.Rel(base, filepath.FromSlash(at))
		if err != nil {
			return err
		}
		switch info, err := r.root.Stat(at); {
		case err != nil:
			r.fail(n, "", "files: %s cannot be used: %v", clip(at), reason(err))
		case !info.Mode().IsRegular() || !treePath(filepath.ToSlash(name)):
			r.fail(n, "a folder that is laid over the tree holds plain files", "files: %s cannot be laid over the tree", clip(at))
		default:
			into[filepath.ToSlash(name)] = filepath.Join(r.dir, filepath.FromSlash(at))
		}
		return nil
	})
	switch {
	case errors.Is(err, tooMany):
		r.fail(n, "name the files one by one, or use a patch", "files: %s holds more than %d files", clip(base), maxLaidOver)
	case err != nil:
		r.fail(n, "", "files: %s cannot be read: %v", clip(base), reason(err))
	case len(into) == 0:
		r.fail(n, "", "files: %s holds no files", clip(base))
	}
}
