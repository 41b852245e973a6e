// Command failrate measures how often something fails under each of several variants.
//
// The packages do the work and are used in this order: study → plan → trial → classify → journal → report.
// This command only reads flags, wires the packages together and turns errors into messages and exit statuses:
// one file per verb.
package main

import (
	"context"
	"os"

	"github.com/failrate/failrate/containers/agent"
	"github.com/failrate/failrate/harness/steps"
	"github.com/failrate/failrate/stress"
)

func main() {
	if stress.IsWorker() { // the harness starts itself again as a stress worker
		os.Exit(stress.RunWorker())
	}
	if len(os.Args) > 1 && os.Args[1] == agent.Argument { // it is also the first process of a trial's container
		os.Exit(agent.Main(os.Args[2:], stress.Worker))
	}
	if len(os.Args) > 1 && os.Args[1] == steps.Argument { // and the subject of a study that has steps instead of a command
		os.Exit(steps.Main())
	}
	os.Exit(run(context.Background(), os.Args[1:], systemStreams()))
}

// run is the whole program but for the process: what the arguments ask for is done on the streams, and the exit status
// comes back.
func run(ctx context.Context, args []string, io streams) int {
	app := &app{streams: io, env: os.Environ()}
	root := newRoot(app)
	root.SetArgs(args)
	return app.status(root.ExecuteContext(ctx))
}
