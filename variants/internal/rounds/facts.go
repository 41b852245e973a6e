package rounds

import (
	"runtime"
	"strconv"
)

// HostFacts describes what the race depends on: how many goroutines run at once, on how many cores, on which kernel.
func HostFacts() map[string]string {
	return map[string]string{
		"gomaxprocs": strconv.Itoa(runtime.GOMAXPROCS(0)),
		"cpus":       strconv.Itoa(runtime.NumCPU()),
		"kernel":     kernel(),
		"os":         runtime.GOOS + "/" + runtime.GOARCH,
		"go":         runtime.Version(),
	}
}
