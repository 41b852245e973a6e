package containers

import "strings"

// SwapVariable is the environment variable that swaps an image for another one: FAILRATE_IMAGE_ and the image's name
// in capitals with every other character as _. eclipse-temurin:21 has FAILRATE_IMAGE_ECLIPSE_TEMURIN_21; an image that
// is built from a folder has the folder's name.
func SwapVariable(name string) string {
	return "FAILRATE_IMAGE_" + strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return r - 'a' + 'A'
		case 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			return r
		}
		return '_'
	}, name)
}

// swapFor gives the image to use instead of the named one; empty means the named one. What the command line says by
// the full name goes first, then by the name without its tag, then the environment in the same order.
func swapFor(name string, swaps map[string]string, getenv func(string) string) string {
	names := []string{name}
	if short := untagged(name); short != name {
		names = append(names, short)
	}
	for _, n := range names {
		if s := swaps[n]; s != "" {
			return s
		}
	}
	for _, n := range names {
		if s := getenv(SwapVariable(n)); s != "" {
			return s
		}
	}
	return ""
}

// untagged drops the tag and digest of a reference. A colon before the last slash is a port.
func untagged(name string) string {
	name, _, _ = strings.Cut(name, "@")
	if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, '/') {
		return name[:i]
	}
	return name
}
