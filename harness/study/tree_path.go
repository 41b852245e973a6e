package study

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// treePath reports whether a path names a file of the subject's tree: relative, clean, and not git's own.
func treePath(text string) bool {
	return filepath.IsLocal(text) && path.Clean(text) == text && text != "." && !strings.ContainsAny(text, "\\\x00") &&
		!slices.ContainsFunc(strings.Split(text, "/"), func(part string) bool { return strings.EqualFold(part, ".git") })
}
