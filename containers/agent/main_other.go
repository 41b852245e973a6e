//go:build !linux

package agent

import (
	"fmt"
	"os"
)

// Worker runs the stress worker with its arguments until it is killed, and gives its exit status.
type Worker func(args []string) int

// Main refuses: containers run Linux, so the agent does.
func Main([]string, Worker) int {
	fmt.Fprintln(os.Stderr, "error: the agent runs only as process 1 of a container of failrate")
	return 2
}
