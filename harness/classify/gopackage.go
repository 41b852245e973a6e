package classify

import (
	"bytes"
	"strings"
	"unicode"
)

// goPackage is a package of which events were seen.
type goPackage struct {
	name    string
	runs    int               // how often it was started: a second run is a retry by a tool around go test
	open    bool              // started, no end yet
	failed  int               // tests that failed in this run
	running map[string][]byte // tests without an end, with the end of their output
	output  []byte            // the end of its own output
	unbuilt bool
}

// print keeps the end of a test's or the package's output.
func (p *goPackage) print(e goEvent) {
	if e.Test == "" {
		p.output = appendTail(p.output, e.Output)
		// Before Go 1.24 these words are all there is.
		p.unbuilt = p.unbuilt || strings.HasPrefix(e.Output, "FAIL\t") &&
			(strings.HasSuffix(e.Output, " [build failed]\n") || strings.HasSuffix(e.Output, " [setup failed]\n"))
		return
	}
	if out, ok := p.running[e.Test]; ok {
		p.running[e.Test] = appendTail(out, e.Output)
	}
}

// appendTail appends and keeps the last MaxExcerpt bytes or a little more.
func appendTail(b []byte, s string) []byte {
	b = append(b, s...)
	if len(b) > 2*MaxExcerpt {
		b = b[:copy(b, b[len(b)-MaxExcerpt:])]
	}
	return b
}

// goMessage gives the first line of a test's output that the test itself wrote.
func goMessage(output []byte) string {
	for l := range bytes.Lines(output) {
		if l = bytes.TrimSpace(l); bytes.ContainsFunc(l, unicode.IsLetter) && !bytes.HasPrefix(l, []byte("=== ")) && !bytes.HasPrefix(l, []byte("--- ")) {
			return string(l[:min(len(l), 4*MaxReason)])
		}
	}
	return ""
}
