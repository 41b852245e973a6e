package steps

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func someNames() names {
	env := map[string]string{
		"FAILRATE_SERVICE_NODE": "127.0.0.1:80", "FAILRATE_SERVICE_NODE_7281": "127.0.0.1:81", "FAILRATE_PARAM_SLEEP_TIME": "10s",
		"FAILRATE_TRIAL": "v/native/none#0001", "FAILRATE_VARIANT": "v", "FAILRATE_SEED": "7", "INDEX": "{uid}", "index": "low", "EMPTY": "",
	}
	return names{
		env:   func(n string) (string, bool) { v, ok := env[n]; return v, ok },
		now:   func() time.Time { return time.Date(2026, 12, 1, 11, 15, 0, 123456789, time.FixedZone("", 3600)) },
		saved: map[string]string{"uid": "a:b${INDEX}", "9": "nine"},
		lost:  map[string]bool{"gone": true},
	}
}

func TestFill(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"http://{node}/{node.7281}/{sleep-time}": "http://127.0.0.1:80/127.0.0.1:81/10s",
		"{now} {trial} {variant} {seed}":         "2026-12-01T10:15:00.123Z v/native/none#0001 v 7",
		"${INDEX} ${index} {uid} ${EMPTY}.":      "{uid} low a:b${INDEX} .",
		`{"a":{"b":1},"c": { } }`:                `{"a":{"b":1},"c": { } }`,
		"x{3} x{9} ${not-env} $${index} {A} {":   "x{3} xnine ${not-env} $low {A} {",
		"{{uid}}":                                "{a:b${INDEX}}",
		"":                                       "",
	} {
		if got, err := someNames().fill(text); err != nil || got != want {
			t.Errorf("%q: got %q, %v\nwant %q", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"a {nobody} {other}": "{nobody} has no value", "${NOBODY}": "${NOBODY} has no value", "${9}{no.body}": "{no.body} has no value",
		"{gone}": "{gone} has no value, because the step that saves it failed",
	} {
		got, err := someNames().fill(text)
		if err == nil || err.Error() != want || got != "" {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
		var m *missingName
		if !errors.As(err, &m) || m.lost != strings.Contains(want, "failed") {
			t.Errorf("%q: %+v", text, m)
		}
	}
}

func TestPattern(t *testing.T) {
	t.Parallel()
	n := someNames()
	n.saved["uid"] = "a.b*("
	re, err := n.pattern(`^{uid}+-x{2}$`)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{"a.b*(a.b*(-xx": true, "a.b*((-xx": false, "aXb*(-xx": false, "a.b*(-x": false} {
		if re.MatchString(text) != want {
			t.Errorf("%s: %q is %v", re, text, !want)
		}
	}
	for _, bad := range []string{"{nobody}", "[", "{uid"} {
		if re, err := n.pattern(bad); (err == nil) != (bad == "{uid") {
			t.Errorf("%q: %v, %v", bad, re, err)
		}
	}
}

// FuzzFill fills any text with any value: it never panics, what it took from a value is not filled again, and a text that
// cannot be filled gives nothing.
func FuzzFill(f *testing.F) {
	for _, text := range []string{"{uid}", "${INDEX}{uid}", "{{uid}}", "x{3}", "${a-b}", "{nobody}", "{", "$", "{uid", `{"uid":"{uid}"}`} {
		f.Add(text, "{uid}${INDEX}")
	}
	f.Add("{now}", "\xff\x00")
	f.Fuzz(func(t *testing.T, text, value string) {
		n := someNames()
		n.saved = map[string]string{"uid": value}
		got, err := n.fill(text)
		if err != nil {
			if got != "" {
				t.Fatalf("%q and %v", got, err)
			}
			return
		}
		if !placeholder.MatchString(text) && got != text {
			t.Fatalf("%q became %q", text, got)
		}
		if text == "{uid}" && got != value {
			t.Fatalf("%q became %q", value, got)
		}
		if re, err := n.pattern("^{uid}$"); err == nil && !re.MatchString(value) || err != nil && utf8.ValidString(value) {
			t.Fatalf("%q does not match itself: %v, %v", value, re, err)
		}
	})
}
