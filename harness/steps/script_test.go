package steps

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestScriptTravels(t *testing.T) {
	t.Parallel()
	s := Script{Steps: []Step{
		{Name: "a", Method: "POST", URL: "http://{node}/\"<&>", Body: "\x01é", Status: []int{200}, Within: time.Second},
		{Action: Cut, Services: []string{"node"}},
	}}
	text, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Decode(text); err != nil || !reflect.DeepEqual(got, s) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := Decode("{"); err == nil {
		t.Error("half a script was read")
	}
	if _, err := (Script{Steps: []Step{{Body: strings.Repeat("x", MaxScript)}}}).Encode(); err == nil || !strings.Contains(err.Error(), "body-file") {
		t.Errorf("too large: %v", err)
	}
}

func TestScriptOfAVariant(t *testing.T) {
	t.Parallel()
	s := Script{Steps: []Step{{Name: "all"}, {Name: "some", Only: []string{"a", "b"}}, {Name: "rest", Except: []string{"a"}}}}
	for variant, want := range map[string]string{"a": "all some", "b": "all some rest", "c": "all rest"} {
		var got []string
		for _, step := range s.For(variant).Steps {
			got = append(got, step.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", variant, got, want)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	if got := ServiceVariable("node-1.7281"); got != "FAILRATE_SERVICE_NODE_1_7281" {
		t.Error(got)
	}
	for want, s := range map[string]Step{"m": {Name: "a", Method: "GET", Metric: "m"}, "a_ms": {Name: "a", Method: "GET"}, "": {Name: "a", Wait: "1s"}} {
		if got := s.MetricName(); got != want {
			t.Errorf("%+v: %q, want %q", s, got, want)
		}
	}
}

func TestWordsOfAStep(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]Step{
		"a (s:1:2): POST http://x, within 1s":     {Name: "a", Source: "s:1:2", Method: "POST", URL: "http://x", Within: time.Second},
		"(s:1:2): HEAD /, 3 times":                {Source: "s:1:2", Method: "HEAD", URL: "/", Repeat: 3},
		"a: wait {t}, only v, w":                  {Name: "a", Wait: "{t}", Only: []string{"v", "w"}},
		"cut a, b, except v":                      {Action: Cut, Services: []string{"a", "b"}, Except: []string{"v"}},
		"same a, b":                               {Same: []string{"a", "b"}},
		"wait 1s, after a, b, unless c, optional": {Wait: "1s", After: []string{"a", "b"}, Unless: []string{"c"}, Optional: true},
		`differ \u001b, b`:                        {Differ: []string{"\x1b", "b"}},
		"wait " + strings.Repeat("x", 395) + "…":  {Wait: strings.Repeat("x", 500)},
	} {
		if got := s.String(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
