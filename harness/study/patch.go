package study

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// The bounds of a patch: each line costs some forty bytes beside its text, so lines are bounded as well as bytes.
const (
	maxPatch      = 16 << 20 // bytes
	maxPatchLines = 300_000
)

// CheckPatch lists the paths that a patch touches in the tree, sorted, each once. It refuses a patch that is not one,
// that changes nothing, or that would reach outside of the tree: through a path with .. or an absolute one, git's own
// folder, or a new symlink that leads out. Whether the patch applies is not its business.
func CheckPatch(r io.Reader) ([]string, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxPatch+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read patch: %w", err)
	case len(data) > maxPatch:
		return nil, fmt.Errorf("patch is larger than %d bytes", maxPatch)
	case bytes.Count(data, []byte{'\n'}) > maxPatchLines:
		return nil, fmt.Errorf("patch has more than %d lines", maxPatchLines)
	}
	plain, err := checkHeaders(data)
	if err != nil {
		return nil, err
	}
	files, _, err := gitdiff.Parse(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("not a patch: %s", strings.TrimPrefix(err.Error(), "gitdiff: "))
	}
	var paths []string
	for _, f := range files {
		for _, name := range []string{f.OldName, f.NewName} {
			if plain[name] {
				name = name[strings.IndexByte(name, '/')+1:]
			}
			switch {
			case name == "" || name == os.DevNull:
			case !treePath(name):
				return nil, fmt.Errorf("patch touches %s, which leaves the tree", clip(name))
			default:
				paths = append(paths, name)
			}
		}
		if err := checkLink(f); err != nil {
			return nil, err
		}
	}
	if len(paths) == 0 {
		return nil, errors.New("patch changes nothing")
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

var (
	hunkPattern   = regexp.MustCompile(`^@@ -[0-9]+(?:,([0-9]+))? \+[0-9]+(?:,([0-9]+))? @@`)
	headerPattern = regexp.MustCompile(`^(?:---|\+\+\+|(?:rename|copy) (?:from|to|old|new)) (.*)$`)
)

// checkHeaders looks at the paths as they are written: git apply drops their first component, and so does the patch
// reader, so that ../x and /x would pass for x. Lines inside hunks are content, whatever they look like. It gives the
// paths of files without a git header: of those alone the patch reader keeps the first component.
func checkHeaders(data []byte) (plain map[string]bool, err error) {
	plain = map[string]bool{}
	before, after := 0, 0 // lines of the open hunk that are still to come
	git := false
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		if before > 0 || after > 0 {
			switch line[0] {
			case '-':
				before--
			case '+':
				after--
			case '\\':
			default:
				before, after = before-1, after-1
			}
			continue
		}
		if m := hunkPattern.FindStringSubmatch(line); m != nil {
			before, after = lines(m[1]), lines(m[2])
			git = false
			continue
		}
		git = git || strings.HasPrefix(line, "diff --git ")
		m := headerPattern.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			continue
		}
		name := headerName(m[1])
		if name != os.DevNull && leaves(name) {
			return nil, fmt.Errorf("patch line %d names %s, which leaves the tree", number, clip(name))
		}
		plain[name] = plain[name] || !git
	}
	return plain, nil
}

func lines(count string) int {
	if count == "" {
		return 1
	}
	n, err := strconv.Atoi(count)
	if err != nil {
		return 0
	}
	return n
}

// headerName is a header's path: without the quotes that git writes, and without the time that diff writes.
func headerName(text string) string {
	if strings.HasPrefix(text, `"`) {
		if name, err := strconv.Unquote(text); err == nil {
			return name
		}
	}
	name, _, _ := strings.Cut(text, "\t")
	return name
}

// leaves reports whether a path as written is absolute or climbs.
func leaves(name string) bool {
	return strings.HasPrefix(name, "/") || slices.Contains(strings.Split(name, "/"), "..")
}

// linkMode is git's mode of a symlink.
const linkMode = 0o120000

// checkLink refuses a symlink whose target is outside of the tree.
func checkLink(f *gitdiff.File) error {
	if f.NewMode != linkMode && f.OldMode != linkMode {
		return nil
	}
	if f.IsBinary { // where it leads cannot be read here, and git writes links as text
		return fmt.Errorf("patch makes %s a link by a binary change, which may leave the tree", clip(f.NewName))
	}
	for _, fragment := range f.TextFragments {
		for _, line := range fragment.Lines {
			target := strings.TrimSuffix(line.Line, "\n")
			if line.Op != gitdiff.OpDelete && (strings.HasPrefix(target, "/") || climbs(f.NewName, target)) {
				return fmt.Errorf("patch makes %s a link to %s, which leaves the tree", clip(f.NewName), clip(target))
			}
		}
	}
	return nil
}

// climbs reports whether a link's target, seen from the link's folder, is above the tree.
func climbs(link, target string) bool {
	depth := strings.Count(link, "/")
	for _, part := range strings.Split(target, "/") {
		switch part {
		case "", ".":
		case "..":
			if depth--; depth < 0 {
				return true
			}
		default:
			depth++
		}
	}
	return false
}
