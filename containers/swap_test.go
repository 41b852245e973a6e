package containers

import "testing"

func TestSwapFor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		swaps, env map[string]string
		want       string
	}{
		{"plain", nil, nil, ""},
		{"eclipse-temurin:21", map[string]string{"eclipse-temurin:21": "here"}, nil, "here"},
		{"eclipse-temurin:21", map[string]string{"eclipse-temurin": "here"}, nil, "here"},
		{"eclipse-temurin:21", map[string]string{"temurin": "here"}, nil, ""},
		{"eclipse-temurin:21", nil, map[string]string{"FAILRATE_IMAGE_ECLIPSE_TEMURIN_21": "env"}, "env"},
		{"eclipse-temurin:21", nil, map[string]string{"FAILRATE_IMAGE_ECLIPSE_TEMURIN": "env"}, "env"},
		{"eclipse-temurin:21", map[string]string{"eclipse-temurin": "here"}, map[string]string{"FAILRATE_IMAGE_ECLIPSE_TEMURIN_21": "env"}, "here"},
		{"reg.local:5000/a/b", nil, map[string]string{"FAILRATE_IMAGE_REG_LOCAL_5000_A_B": "env"}, "env"},
		{"reg.local:5000/a/b", nil, map[string]string{"FAILRATE_IMAGE_REG_LOCAL": "env"}, ""},
		{"a@sha256:00", map[string]string{"a": "here"}, nil, "here"},
		{"solr", nil, map[string]string{"FAILRATE_IMAGE_SOLR": "env"}, "env"},
	} {
		if got := swapFor(c.name, c.swaps, func(k string) string { return c.env[k] }); got != c.want {
			t.Errorf("%q with %v and %v: got %q, want %q", c.name, c.swaps, c.env, got, c.want)
		}
	}
}
