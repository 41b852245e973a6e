package steps

import "strings"

// The names that every script knows besides parameters, services and what it saved.
const (
	NameNow     = "now"     // the time in UTC, such as 2026-12-01T10:15:00.123Z
	NameTrial   = "trial"   // the trial's id
	NameVariant = "variant" // the variant's name
	NameSeed    = "seed"    // the trial's seed
)

// Known lists the names that every script knows.
func Known() []string { return []string{NameNow, NameTrial, NameVariant, NameSeed} }

// ServiceVariable is the environment variable that says where a service is, as host:port. A further port of it has a
// variable of its own, by the name service.port.
func ServiceVariable(name string) string { return "FAILRATE_SERVICE_" + upper(name) }

// parameterVariable is the environment variable of a parameter's value, as study.Parameter.EnvName has it.
func parameterVariable(name string) string { return "FAILRATE_PARAM_" + upper(name) }

func upper(name string) string {
	return strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(name))
}
