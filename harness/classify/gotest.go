package classify

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// The bounds of reading go test -json.
const (
	maxGoLine     = 1 << 20 // bytes of one event; the go command splits output into far shorter ones
	maxGoPackages = 10_000
	maxGoTests    = 20_000  // running or failed tests that are known by name at a time
	maxGoName     = 1 << 10 // bytes of a package's or a test's name
)

// goKey names a test; without one, the package itself failed.
type goKey struct{ pkg, test string }

// goFailure is a failure that a later run of the package could take back.
type goFailure struct {
	failure
	order, run int
}

// goReader reads one stream of events.
type goReader struct {
	f           findings
	retriedPass bool
	events      int
	packages    map[string]*goPackage
	failures    map[goKey]goFailure
	running     int    // tests without an end, in all packages
	order       int    // of the next failure
	uncounted   int    // failures beyond the names that are kept
	other       []byte // the first lines that are no event
}

// readGoTest reads the events of go test -json. A package that could not be built is unreadable; a package without an
// end is in doubt; a package that failed outside any test is a failure. Lines that are no event are the output of others.
// A test that passes in a later run of its package is a retried pass.
func readGoTest(r io.Reader, retriedPass bool) findings {
	g := &goReader{retriedPass: retriedPass, packages: map[string]*goPackage{}, failures: map[goKey]goFailure{}}
	lines := newLineReader(r, maxGoLine)
	for {
		l, err := lines.next()
		if err != nil {
			break
		}
		if e, ok := parseGoEvent(l); ok && !lines.long {
			g.events++
			g.event(e)
		} else if len(g.other) < MaxExcerpt {
			g.other = append(append(g.other, l[:min(len(l), MaxExcerpt)]...), '\n')
		}
		if g.f.unreadable != "" {
			return g.f
		}
	}
	g.close()
	return g.f
}

// event takes one event.
func (g *goReader) event(e goEvent) {
	if e.Package == "" {
		return // of a build; a package that it stops says so itself
	}
	e.Package, e.Test = clip(e.Package, maxGoName), clip(e.Test, maxGoName)
	p := g.packages[e.Package]
	if p == nil {
		if len(g.packages) == maxGoPackages {
			g.f.unreadable = fmt.Sprintf("more than %d packages", maxGoPackages)
			return
		}
		p = &goPackage{name: e.Package, running: map[string][]byte{}}
		g.packages[e.Package] = p
	}
	if !p.open {
		p.open, p.runs, p.failed = true, p.runs+1, 0
	}
	switch e.Action {
	case "run":
		if _, known := p.running[e.Test]; !known && g.running < maxGoTests {
			p.running[e.Test] = nil
			g.running++
		}
	case "output":
		p.print(e)
	case "pass", "bench", "fail", "skip":
		if e.Test == "" {
			g.endPackage(p, e)
		} else {
			g.endTest(p, e)
		}
	}
}

// endTest takes the end of a test.
func (g *goReader) endTest(p *goPackage, e goEvent) {
	key := goKey{p.name, e.Test}
	switch e.Action {
	case "pass", "bench":
		g.f.passed++
		g.takeBack(p, key)
	case "skip":
		g.f.skipped++
	case "fail":
		p.failed++
		g.fail(p, key, goMessage(p.running[e.Test]), p.running[e.Test])
	}
	if _, known := p.running[e.Test]; known {
		delete(p.running, e.Test)
		g.running--
	}
}

// endPackage takes the end of a package. A test that was running when it failed is what failed.
func (g *goReader) endPackage(p *goPackage, e goEvent) {
	running := make([]string, 0, len(p.running))
	for name := range p.running {
		running = append(running, name)
	}
	slices.Sort(running)
	switch {
	case e.Action == "fail" && (e.FailedBuild != "" || p.unbuilt):
		g.f.unreadable, g.f.spot = fmt.Sprintf("package %s could not be built", p.name), last(p.output)
		return
	case e.Action == "fail" && len(running) > 0 && p.failed == 0:
		for _, name := range running {
			g.fail(p, goKey{p.name, name}, "it was running when its package failed", p.running[name])
		}
	case e.Action == "fail" && p.failed == 0:
		g.fail(p, goKey{p.name, ""}, "the package failed outside any test", p.output)
	case e.Action == "pass":
		g.takeBack(p, goKey{p.name, ""})
		for _, name := range running {
			if strings.HasPrefix(name, "Benchmark") { // benchmarks that say nothing have no event of their own
				g.f.passed++
			} else {
				g.f.doubt = fmt.Sprintf("package %s passed while %s was running", p.name, name)
			}
		}
	}
	p.open, p.output = false, nil
	g.running -= len(p.running)
	clear(p.running)
}

// fail notes a failure.
func (g *goReader) fail(p *goPackage, key goKey, why string, output []byte) {
	name := key.test
	if name == "" {
		name = p.name
	}
	if _, known := g.failures[key]; !known && len(g.failures) == maxGoTests {
		g.uncounted++
		return
	}
	x := failure{name: name, message: why}
	if len(g.failures) < 100 { // only the first is shown, but it may be taken back
		x.excerpt = last(output)
	}
	g.order++
	order := g.order
	if was, known := g.failures[key]; known {
		order, x = was.order, was.failure
	}
	g.failures[key] = goFailure{x, order, p.runs}
}

// takeBack removes a failure in an earlier run of the package, where a retried pass is a pass.
func (g *goReader) takeBack(p *goPackage, key goKey) {
	if was, ok := g.failures[key]; ok && g.retriedPass && was.run < p.runs {
		delete(g.failures, key)
	}
}

// close ends the stream.
func (g *goReader) close() {
	if g.events == 0 {
		g.f.missing, g.f.spot = "there is no event of go test -json in it", head(g.other)
		return
	}
	for name, p := range g.packages {
		if why := fmt.Sprintf("package %s has no end", name); p.open && (g.f.doubt == "" || why < g.f.doubt) {
			g.f.doubt = why // the first by name, so that it is always the same
		}
	}
	g.f.failed = len(g.failures) + g.uncounted
	first := g.order + 1
	for _, x := range g.failures {
		if x.order < first {
			first, g.f.first = x.order, x.failure
		}
	}
}
