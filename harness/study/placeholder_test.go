package study

import "testing"

func TestEnvName(t *testing.T) {
	t.Parallel()
	if got := (Parameter{Name: "a-b.c_1"}).EnvName(); got != "FAILRATE_PARAM_A_B_C_1" {
		t.Errorf("got %s", got)
	}
}
