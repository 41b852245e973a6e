package steps

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// failure is why a step did not succeed.
type failure struct {
	why    string
	broken bool    // nothing was measured: the script, this machine or the harness is at fault
	last   *answer // nil when no request was answered or refused
}

func (f *failure) kind() string {
	if f.broken {
		return "broken"
	}
	return "failed"
}

// unclear is a failure that is no measurement.
func unclear(err error) *failure {
	var m *missingName
	return &failure{why: excerpt([]byte(err.Error()), maxMessage), broken: !errors.As(err, &m) || !m.lost}
}

// wanted is what a step expects of every answer, filled in.
type wanted struct {
	status []int
	match  *regexp.Regexp // nil means any body
	json   map[string]string
	save   map[string]string
}

func (n names) wanted(s Step) (wanted, error) {
	w := wanted{status: s.Status, json: map[string]string{}, save: s.Save}
	if s.Match != "" {
		var err error
		if w.match, err = n.pattern(s.Match); err != nil {
			return w, err
		}
	}
	for pointer, text := range s.JSON {
		value, err := n.fill(text)
		if err != nil {
			return w, err
		}
		w.json[pointer] = value
	}
	return w, nil
}

// judge compares an answer with what is wanted, and takes the values to save out of it.
func (w wanted) judge(a answer) (saved map[string]string, f *failure) {
	fail := func(broken bool, format string, args ...any) (map[string]string, *failure) {
		return nil, &failure{why: fmt.Sprintf(format, args...), broken: broken, last: &a}
	}
	if a.broken != "" {
		return fail(a.local, "%s", a.broken)
	}
	if !w.expects(a.status) {
		return fail(false, "status %d, not %s%s", a.status, w.statuses(), said(a))
	}
	const part = "the answer is longer than %d bytes, and no more of it is looked at"
	if w.match != nil && !w.match.Match(a.body) {
		if a.more {
			return fail(true, part+": so far it does not match %q", maxBody, w.match)
		}
		return fail(false, "the answer does not match %q%s", w.match, said(a))
	}
	if a.more && len(w.json)+len(w.save) > 0 {
		return fail(true, part+", which is not enough for JSON", maxBody)
	}
	for _, pointer := range slices.Sorted(maps.Keys(w.json)) {
		switch got, found, err := find(a.body, pointer); {
		case err != nil:
			return fail(!errors.Is(err, errNotJSON), "%v%s", err, said(a))
		case !found:
			return fail(false, "%s is not in the answer%s", pointer, said(a))
		case got != w.json[pointer]:
			return fail(false, "%s is %s, not %s", pointer, excerpt([]byte(got), maxShown), excerpt([]byte(w.json[pointer]), maxShown))
		}
	}
	saved = map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(w.save)) {
		got, found, err := find(a.body, w.save[name])
		switch {
		case err != nil:
			return fail(!errors.Is(err, errNotJSON), "%v%s", err, said(a))
		case !found:
			return fail(false, "%s, to be saved as %s, is not in the answer%s", w.save[name], name, said(a))
		}
		saved[name] = got
	}
	return saved, nil
}

func (w wanted) expects(status int) bool {
	if len(w.status) == 0 {
		return status >= 200 && status <= 299
	}
	return slices.Contains(w.status, status)
}

func (w wanted) statuses() string {
	if len(w.status) == 0 {
		return "200 to 299"
	}
	var out []string
	for _, s := range w.status {
		out = append(out, strconv.Itoa(s))
	}
	return strings.Join(out, " or ")
}

// said is the start of an answer's body, for messages.
func said(a answer) string {
	if len(a.body) == 0 {
		return ""
	}
	return ": " + excerpt(a.body, maxLogged)
}

// class names a failure by the step's rules, then by the step itself; empty leaves it to the study.
func (x *run) class(s Step, f *failure) (string, error) {
	for _, c := range s.Classes {
		if f.last == nil {
			break
		}
		if x.missing(c.After) != "" {
			continue
		}
		if whole := f.last.broken == ""; len(c.Status) > 0 && !(whole && slices.Contains(c.Status, f.last.status)) {
			continue
		}
		if c.Match == "" {
			return c.Class, nil
		}
		re, err := x.pattern(c.Match)
		if err != nil {
			return "", err
		}
		text := f.last.body
		if f.last.broken != "" {
			text = []byte(f.last.broken)
		}
		if re.Match(text) {
			return c.Class, nil
		}
	}
	return s.Class, nil
}
