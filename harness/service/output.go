package service

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/failrate/failrate/harness/trial"
)

const (
	maxRecent = 64 << 10 // bytes of output held for trials that come later, and for messages
	maxLine   = 64 << 10 // bytes of one line that is searched
	saidLines = 5
	saidBytes = 200 // of one line
)

// output takes what a service says: the logs of all trials that use it get it. The zero value is ready.
type output struct {
	mu      sync.Mutex
	recent  []byte
	logs    []*trial.Capture
	wanted  *regexp.Regexp // nil means that nothing is searched for
	line    []byte         // the one that has not ended
	matches chan struct{}
}

// Write takes all bytes, whatever becomes of them: a service is not held up by a log that fails, and the log tells.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, l := range o.logs {
		_, _ = l.Write(p) // Close gives the error
	}
	o.recent = append(o.recent, p[max(0, len(p)-maxRecent):]...)
	if len(o.recent) > 2*maxRecent {
		o.recent = append(o.recent[:0], o.recent[len(o.recent)-maxRecent:]...)
	}
	o.search(p)
	return len(p), nil
}

// search looks at every line that has begun, as a service may not end the line that says it is ready.
func (o *output) search(p []byte) {
	for o.wanted != nil && len(p) > 0 {
		part, rest, ended := bytes.Cut(p, []byte{'\n'})
		o.line = append(o.line, part[:min(len(part), maxLine-len(o.line))]...)
		if o.wanted.Match(o.line) {
			o.wanted = nil
			close(o.matches)
			return
		}
		if ended {
			o.line = o.line[:0]
		}
		p = rest
	}
}

// expect begins to look for a line that matches; an empty pattern means none.
func (o *output) expect(pattern string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.wanted, o.line, o.matches = nil, o.line[:0], make(chan struct{})
	if re, err := regexp.Compile(pattern); err == nil && pattern != "" { // the study was checked
		o.wanted = re
	}
}

func (o *output) matched() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.matches
}

// said gives the last lines for the end of a message; empty when there was no output.
func (o *output) said() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(string(o.recent), "?")), "\n")
	lines = lines[max(0, len(lines)-saidLines):]
	for i, l := range lines {
		l = strings.TrimSpace(l)
		if len(l) > saidBytes {
			l = strings.ToValidUTF8(l[:saidBytes], "") + "…"
		}
		lines[i] = l
	}
	if text := strings.Join(lines, " | "); text != "" {
		return fmt.Sprintf("; its last output: %s", text)
	}
	return ""
}

// keepLogs begins to keep the services' output for a trial, with what they said before in front.
func (g *group) keepLogs(r trial.Request) ([]*trial.Capture, error) {
	if r.Out.Services == "" {
		return nil, nil
	}
	if err := os.MkdirAll(r.Out.Services, 0o700); err != nil {
		return nil, fmt.Errorf("keep the services' output: %w", err)
	}
	var kept []*trial.Capture
	for _, m := range g.members {
		c, err := trial.NewCapture(filepath.Join(r.Out.Services, m.service.Name+".log"), r.MaxOutput)
		if err != nil {
			return kept, err
		}
		kept = append(kept, c)
		m.out.mu.Lock()
		if len(m.out.recent) > 0 {
			_, _ = c.Write(m.out.recent[max(0, len(m.out.recent)-maxRecent):])
		}
		m.out.logs = append(m.out.logs, c)
		m.out.mu.Unlock()
	}
	return kept, nil
}

// endLogs ends what keepLogs began.
func (g *group) endLogs(kept []*trial.Capture) error {
	var errs []error
	for i, c := range kept {
		m := g.members[i]
		m.out.mu.Lock()
		for at, l := range m.out.logs {
			if l == c {
				m.out.logs = append(m.out.logs[:at], m.out.logs[at+1:]...)
				break
			}
		}
		m.out.mu.Unlock()
		if _, err := c.Close(); err != nil {
			errs = append(errs, fmt.Errorf("service %s: %w", m.service.Name, err))
		}
	}
	return errors.Join(errs...)
}
