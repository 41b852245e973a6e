// Package mask hides secrets in what is kept of a run: it takes an environment and the names of its secret variables,
// and gives texts and streams in which their values are replaced.
//
// It stands between what a subject writes and what is written down: logs, records, judgements, notes. A value is also
// found as JSON, a URL and Base64 would spell it. Nothing is hidden from the subject, and outcomes are derived before
// anything is hidden.
package mask

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"
)

// Hidden is what stands in the place of a secret.
const Hidden = "***"

// Shortest is the length in bytes of the shortest value that is hidden: a shorter one is in every second line.
const Shortest = 6

// usual are the names of variables that hold secrets wherever they are set, as path.Match patterns.
var usual = []string{
	"*_TOKEN", "*_SECRET", "*_PASSWORD", "*_PASSWD", "*_PASSPHRASE", "*_API_KEY", "*_APIKEY", "*_ACCESS_KEY", "*_PRIVATE_KEY",
	"*_SECRET_KEY", "*_PASS", "*_PAT", "*_CREDENTIALS", "*_AUTH", "DOCKER_AUTH_CONFIG", "TOKEN", "SECRET", "PASSWORD", "API_KEY", "PGPASSWORD", "MYSQL_PWD",
}

// Mask hides a set of values. The nil Mask and the zero one hide nothing. A Mask may be used by several goroutines.
type Mask struct {
	values  []string // longest first, so that a secret within another leaves no rest of it
	longest int
}

// New collects the values of env, pairs of the form NAME=value, whose names are given, or, when usually is true, are
// those of secrets as CI systems and tools name them. A name that is given must not have a value shorter than Shortest;
// a usual one with such a value is no secret. A value of several lines is hidden line by line.
func New(env, names []string, usually bool) (*Mask, error) {
	m := &Mask{}
	for _, pair := range env {
		name, value, _ := strings.Cut(pair, "=")
		given := slices.Contains(names, name)
		if !given && !(usually && IsUsual(name)) {
			continue
		}
		if given && value != "" && len(value) < Shortest {
			return nil, fmt.Errorf("the value of %s has fewer than %d characters: hiding it would hide much else", name, Shortest)
		}
		m.add(value)
		for line := range strings.Lines(value) {
			m.add(strings.TrimSpace(line))
		}
	}
	slices.SortFunc(m.values, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	m.values = slices.Compact(m.values)
	if len(m.values) > 0 {
		m.longest = len(m.values[0])
	}
	return m, nil
}

// IsUsual reports whether a variable of this name holds a secret wherever it is set.
func IsUsual(name string) bool {
	return slices.ContainsFunc(usual, func(pattern string) bool {
		ok, err := path.Match(pattern, strings.ToUpper(name))
		return ok && err == nil
	})
}

func (m *Mask) add(value string) {
	if len(value) < Shortest {
		return
	}
	m.values = append(m.values, value, url.QueryEscape(value), url.PathEscape(value),
		base64.StdEncoding.EncodeToString([]byte(value)), base64.URLEncoding.EncodeToString([]byte(value)))
	for _, html := range []bool{false, true} {
		var text bytes.Buffer
		e := json.NewEncoder(&text)
		e.SetEscapeHTML(html)
		if e.Encode(value) == nil {
			m.values = append(m.values, strings.Trim(strings.TrimSpace(text.String()), `"`))
		}
	}
}

// Empty reports whether nothing is hidden.
func (m *Mask) Empty() bool { return m == nil || len(m.values) == 0 }

// String gives the text with every secret hidden.
func (m *Mask) String(text string) string {
	if m.Empty() {
		return text
	}
	out, _ := m.scan(nil, []byte(text), true)
	return string(out)
}

// scan appends to out what of raw is safe to give, secrets hidden, and returns what has to wait for more: at the end of a
// text, last, nothing has to.
func (m *Mask) scan(out, raw []byte, last bool) (grown, rest []byte) {
	for {
		at, length := m.first(raw)
		if at < 0 || !last && at > len(raw)-m.longest { // a longer one may begin here
			break
		}
		out = append(append(out, raw[:at]...), Hidden...)
		raw = raw[at+length:]
	}
	keep := 0
	if !last {
		keep = min(m.longest-1, len(raw))
	}
	return append(out, raw[:len(raw)-keep]...), raw[len(raw)-keep:]
}

// first finds the earliest secret; of two that begin at one place, the longer.
func (m *Mask) first(raw []byte) (at, length int) {
	at = -1
	for _, v := range m.values { // longest first
		if i := bytes.Index(raw, []byte(v)); i >= 0 && (at < 0 || i < at) {
			at, length = i, len(v)
		}
	}
	return at, length
}

// Strings gives the texts with every secret hidden. The slice is a new one.
func (m *Mask) Strings(texts []string) []string {
	out := slices.Clone(texts)
	for i := range out {
		out[i] = m.String(out[i])
	}
	return out
}

// Reader gives the stream with every secret hidden, also one that two reads would split.
func (m *Mask) Reader(r io.Reader) io.Reader {
	if m.Empty() {
		return r
	}
	return &reader{mask: m, from: r}
}
